package redisq

import "slices"

// DeadLetterKeys returns the keys under which the dead letters of a stream usually are, ours first: a stream of one of
// these names is taken for its dead letters where nobody says otherwise.
func DeadLetterKeys(stream string) []string {
	var keys []string
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, suffix := range []string{"dead", "dlq", "failed", "dead-letter", "deadletter"} {
		add(sibling(stream, suffix))
		add(stream + ":" + suffix)
	}
	for _, suffix := range []string{"-dlq", ".dlq", "_dlq", "-dead", ".dead", "-failed", ".failed"} {
		add(stream + suffix)
	}
	return keys
}
