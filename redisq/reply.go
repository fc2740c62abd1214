package redisq

import (
	"fmt"
	"strconv"
)

// Replies come as nil, int64, string or []any of these (RESP2). These helpers read them and never panic on a shape that
// they do not expect.

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func asString(v any) string {
	switch s := v.(type) {
	case string:
		return s
	case []byte:
		return string(s)
	case int64:
		return strconv.FormatInt(s, 10)
	}
	return ""
}

// asInt reads an integer, also one that came as text. ok is false for anything else.
func asInt(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case string:
		i, err := strconv.ParseInt(n, 10, 64)
		return i, err == nil
	}
	return 0, false
}

// parseCount reads a number of times: not negative.
func parseCount(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0
}

// asMap reads a flat list of names and values.
func asMap(v any) map[string]any {
	list := asList(v)
	m := make(map[string]any, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		m[asString(list[i])] = list[i+1]
	}
	return m
}

// asFields reads the flat list of an entry's fields, in their order and with their duplicates.
func asFields(v any) []Field {
	list := asList(v)
	fields := make([]Field, 0, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		fields = append(fields, Field{Name: asString(list[i]), Value: asString(list[i+1])})
	}
	return fields
}

// asEntry reads [id, fields]; ok is false for a nil slot, as XCLAIM before 7.0 has for an entry without a body. Nil
// fields, as a read of one's own history has for such an entry, make an entry that is Gone.
func asEntry(v any) (Entry, bool) {
	list := asList(v)
	if len(list) < 2 {
		return Entry{}, false
	}
	e := Entry{ID: asString(list[0]), Gone: list[1] == nil}
	if !e.Gone {
		e.Fields = asFields(list[1])
	}
	return e, e.ID != ""
}

func asEntries(v any) []Entry {
	list := asList(v)
	entries := make([]Entry, 0, len(list))
	for _, item := range list {
		if e, ok := asEntry(item); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

func flatten(fields []Field) []string {
	flat := make([]string, 0, 2*len(fields))
	for _, f := range fields {
		flat = append(flat, f.Name, f.Value)
	}
	return flat
}

func badReply(op, on string, reply any) error {
	return &Error{Op: op, On: on, Code: CodeBadReply, Err: fmt.Errorf("the answer has an unknown shape (%T)", reply)}
}
