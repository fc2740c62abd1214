package redisq

import "strings"

// Kind is what carries the messages.
type Kind string

// The kinds of queue.
const (
	Stream Kind = "stream" // a stream with a consumer group: at least once
	List   Kind = "list"   // LPUSH and BRPOP: at most once
)

// Queue names the keys of one queue. A Stream queue uses Stream, Group and DeadLetter; a List queue uses List.
type Queue struct {
	Stream     string // key of the stream
	Group      string // consumer group on it
	DeadLetter string // key of the dead-letter stream; same Cluster slot as Stream
	List       string // key of the list; same Cluster slot as Stream, or "" where there is none
	Seen       string // prefix of the idempotent consumer's records; a record is Seen + original entry id
}

// NewQueue names the keys that go with a stream and group: see [DeadLetterKey] for the dead letters.
func NewQueue(stream, group string) Queue {
	return Queue{
		Stream:     stream,
		Group:      group,
		DeadLetter: DeadLetterKey(stream),
		List:       sibling(stream, "list"),
		Seen:       sibling(stream, "seen") + ":",
	}
}

// DeadLetterKey returns the usual key of a stream's dead letters, {STREAM}:dead, which Redis Cluster keeps in the same
// slot. A stream whose name already has a hash tag keeps it: a{b} gives a{b}:dead.
func DeadLetterKey(stream string) string { return sibling(stream, "dead") }

func sibling(stream, suffix string) string {
	if _, ok := hashTag(stream); ok {
		return stream + ":" + suffix
	}
	return "{" + stream + "}:" + suffix
}

// hashTag returns what Redis Cluster hashes of a key that has a tag: the text between its first { and the next },
// where that is not empty.
func hashTag(key string) (string, bool) {
	_, rest, ok := strings.Cut(key, "{")
	if !ok {
		return "", false
	}
	tag, _, ok := strings.Cut(rest, "}")
	return tag, ok && tag != ""
}
