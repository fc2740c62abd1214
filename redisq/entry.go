package redisq

// Field is one field of an entry. Both are bytes as the server holds them: nothing here is safe to print.
type Field struct {
	Name  string
	Value string
}

// Entry is an entry of a stream. Fields keep their order and their duplicates.
type Entry struct {
	ID     string
	Fields []Field
	// Gone says that the body is not in the stream any more: the entry is a ghost where it is pending.
	Gone bool
}

// Unread says that the body was not asked for: bodies that are large are read one after the other.
func (e Entry) Unread() bool { return !e.Gone && len(e.Fields) == 0 }

// Get returns the value of the first field of that name.
func (e Entry) Get(name string) (string, bool) {
	for _, f := range e.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}
