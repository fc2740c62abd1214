package plain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// writeJSON writes v as one line. A character that a terminal might take for a control, or that is not seen, is written
// as an escape: what the JSON says is the same.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := w.Write(escapeUnsafe(b.Bytes()))
	return err
}

// escapeUnsafe leaves ASCII as it is: the encoder has escaped its controls, but for DEL.
func escapeUnsafe(encoded []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(encoded))
	for i := 0; i < len(encoded); {
		r, size := utf8.DecodeRune(encoded[i:])
		text := string(encoded[i : i+size])
		switch {
		case r < 0x7f, r > 0x7f && safe.Text(text) == text:
			b.WriteString(text)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.Bytes()
}

// readable is a string of the server for JSON. One that is not UTF-8 is shown with marks, and stands as base64 beside.
func readable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return safe.Text(s)
}

// encoded is s in base64 where readable lost something, "" where it did not.
func encoded(s string) string {
	if utf8.ValidString(s) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(s))
}

func anyEncoded(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return encoded(s) != "" })
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// orNull is nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	s = readable(s)
	return &s
}

// numberJSON is a figure that may be unknown: {"known": true, "value": 12, "at_least": false, "source": "server"}, or
// {"known": false, "reason": "…"}.
type numberJSON struct {
	Known   bool   `json:"known"`
	Value   *int64 `json:"value,omitempty"`
	AtLeast *bool  `json:"at_least,omitempty"`
	Source  string `json:"source,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func numberOf(n redisq.Number) numberJSON {
	if !n.Known {
		reason := readable(n.Reason)
		if reason == "" {
			reason = "not told"
		}
		return numberJSON{Reason: reason}
	}
	return numberJSON{Known: true, Value: &n.Value, AtLeast: &n.AtLeast, Source: string(n.Source)}
}

// plainNumber is nil where it is not known.
func plainNumber(n redisq.Number) *int64 {
	if !n.Known {
		return nil
	}
	return &n.Value
}

// lookedServerJSON is what the server says that it is; null where it does not tell.
type lookedServerJSON struct {
	Product string  `json:"product"`
	Version *string `json:"version"`
	Role    *string `json:"role"`
	Mode    *string `json:"mode"`
}

func serverOf(s redisq.ServerInfo) lookedServerJSON {
	product := s.Product
	if product == "" {
		product = "unknown"
	}
	return lookedServerJSON{Product: product, Version: orNull(s.Version), Role: orNull(s.Role), Mode: orNull(s.Mode)}
}

// stamp writes a time as RFC 3339 with milliseconds.
func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z07:00") }

type problemJSON struct {
	Panel string `json:"panel"`
	Code  string `json:"code"`
	Text  string `json:"text"`
}

func problemsOf(list []redisq.Problem) []problemJSON {
	out := make([]problemJSON, 0, len(list))
	for _, p := range list {
		out = append(out, problemJSON{p.Panel, p.Code, readable(p.Text)})
	}
	return out
}
