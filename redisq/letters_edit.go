package redisq

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// FieldsForEditor writes fields as JSON for a person to edit: an array of [name, value], one a line, in their order and
// with their duplicates. Text stands as text; what is not UTF-8 stands as {"base64": "…"}. [FieldsFromEditor] reads it
// back to the same bytes.
func FieldsForEditor(fields []Field) []byte {
	var b strings.Builder
	writeFields(&b, fields, "")
	b.WriteByte('\n')
	return []byte(b.String())
}

func writeFields(b *strings.Builder, fields []Field, indent string) {
	b.WriteString("[\n")
	for i, f := range fields {
		b.WriteString(indent + "  [" + editable(f.Name) + ", " + editable(f.Value) + "]")
		if i < len(fields)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(indent + "]")
}

// LettersForEditor writes letters as JSON for a person to edit in one go: an array of {"id": …, "fields": […]}, the
// fields as [FieldsForEditor] writes them. [LettersFromEditor] reads it back.
func LettersForEditor(letters []DeadLetter) []byte {
	var b strings.Builder
	b.WriteString("[\n")
	for i, l := range letters {
		b.WriteString("  {\"id\": " + editable(l.ID) + ", \"fields\": ")
		writeFields(&b, l.Fields, "  ")
		b.WriteByte('}')
		if i < len(letters)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	return []byte(b.String())
}

// LettersFromEditor reads what [LettersForEditor] wrote of these letters and a person may have changed: the ids that are
// left, in their order, and the fields of each. A letter that was not among them, or stands there twice, is an error,
// which says in which letter, counted from 1.
func LettersFromEditor(text []byte, of []DeadLetter) (ids []string, fields map[string][]Field, err error) {
	var letters []struct {
		ID     string              `json:"id"`
		Fields [][]json.RawMessage `json:"fields"`
	}
	if err := readEdited(text, `[{"id": "…", "fields": [["name", "value"], …]}, …]`, &letters); err != nil {
		return nil, nil, err
	}
	fields = make(map[string][]Field, len(letters))
	for i, l := range letters {
		at := fmt.Sprintf("letter %d (%s)", i+1, l.ID)
		if !slices.ContainsFunc(of, func(d DeadLetter) bool { return d.ID == l.ID }) {
			return nil, nil, fmt.Errorf("%s: no letter of that id was to be edited", at)
		}
		if fields[l.ID] != nil {
			return nil, nil, fmt.Errorf("%s: it stands there twice", at)
		}
		if fields[l.ID], err = fieldsOf(l.Fields); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", at, err)
		}
		ids = append(ids, l.ID)
	}
	return ids, fields, nil
}

// readEdited reads one JSON value that looks like that.
func readEdited(text []byte, like string, into any) error {
	if !utf8.Valid(text) {
		return errors.New(`the text is not UTF-8; other bytes are written as {"base64": "…"}`)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("want %s: %w", like, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands after the end")
	}
	return nil
}

func editable(s string) string {
	if !utf8.ValidString(s) {
		return `{"base64": "` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}`
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can be written
	return strings.TrimSuffix(b.String(), "\n")
}

// FieldsFromEditor reads what [FieldsForEditor] wrote and a person may have changed. Numbers, true and false are taken
// as they are written. The error says in which pair, counted from 1, something else stands.
func FieldsFromEditor(text []byte) ([]Field, error) {
	var pairs [][]json.RawMessage
	if err := readEdited(text, `[["name", "value"], …]`, &pairs); err != nil {
		return nil, err
	}
	return fieldsOf(pairs)
}

func fieldsOf(pairs [][]json.RawMessage) ([]Field, error) {
	if len(pairs) == 0 {
		return nil, errors.New("an entry needs a field")
	}
	fields := make([]Field, len(pairs))
	for i, pair := range pairs {
		if len(pair) != 2 {
			return nil, fmt.Errorf("field %d: want a name and a value, have %d of them", i+1, len(pair))
		}
		name, err := edited(pair[0])
		if err != nil {
			return nil, fmt.Errorf("field %d, name: %w", i+1, err)
		}
		value, err := edited(pair[1])
		if err != nil {
			return nil, fmt.Errorf("field %d, value: %w", i+1, err)
		}
		fields[i] = Field{name, value}
	}
	return fields, nil
}

func edited(raw json.RawMessage) (string, error) {
	switch {
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case raw[0] == '{':
		var binary struct {
			Base64 *string `json:"base64"`
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&binary); err != nil || binary.Base64 == nil {
			return "", errors.New(`want a text, or {"base64": "…"}; a JSON object as a value is written as a text`)
		}
		decoded, err := base64.StdEncoding.DecodeString(*binary.Base64)
		return string(decoded), err
	case raw[0] == '[', string(raw) == "null":
		return "", errors.New(`want a text, or {"base64": "…"}`)
	}
	return string(raw), nil
}
