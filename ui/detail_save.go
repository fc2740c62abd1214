package ui

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
)

// saved is the file of a message. A name or value that is no UTF-8 stands as {"base64": "…"}.
type saved struct {
	Stream string   `json:"stream"`
	ID     string   `json:"id"`
	Fields [][2]any `json:"fields"`
}

// save writes the whole message into a new file of the working directory: what the screen shows may be cut.
func (v *detail) save() tea.Cmd {
	fields := v.fields()
	if !v.seen || len(fields) == 0 {
		return said("there is nothing to save", true)
	}
	stream := v.queue.Stream
	if v.kind == detailDead {
		stream = v.queue.DeadLetter
	}
	id := v.id
	return func() tea.Msg {
		path, size, err := saveMessage(stream, id, fields)
		if err != nil {
			return notice{text: "not saved: " + clean(err.Error()), bad: true}
		}
		return notice{text: "saved as " + clean(path) + ", " + strconv.FormatInt(size, 10) + " bytes"}
	}
}

// mostSaved is how many files of one message may be in the directory.
const mostSaved = 100

func saveMessage(stream, id string, fields []redisq.Field) (path string, size int64, err error) {
	out := saved{Stream: stream, ID: id, Fields: make([][2]any, len(fields))}
	for i, f := range fields {
		out.Fields[i] = [2]any{asJSON(f.Name), asJSON(f.Value)}
	}
	content, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return "", 0, fmt.Errorf("write the message as JSON: %w", err)
	}
	content = append(content, '\n')
	name := "unacked-" + fileName(id)
	for n := range mostSaved {
		path = name + ".json"
		if n > 0 {
			path = name + "." + strconv.Itoa(n) + ".json"
		}
		// What is there is never overwritten; the message may hold what is not for everybody's eyes.
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", 0, err
		}
		_, err = file.Write(content)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", 0, err
		}
		if whole, absErr := filepath.Abs(path); absErr == nil {
			path = whole
		}
		return path, int64(len(content)), nil
	}
	return "", 0, fmt.Errorf("there are %d files %s….json already", mostSaved, name)
}

// asJSON is bytes of the server for JSON.
func asJSON(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(s))}
}

// fileName keeps what an id has, and nothing else.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, id)
}
