package redisq

// The names of the leading fields of a dead letter, in their order, and of the trailing fields of a replayed entry.
// They are recognised by their place as well as their name, so a message's own fields may have any name.
const (
	metaStream     = "unacked:stream"     // key that the entry came from
	metaGroup      = "unacked:group"      // consumer group that gave it up
	metaEntry      = "unacked:entry"      // id of the entry that was given up
	metaOriginal   = "unacked:original"   // id of the entry as it was first added; the same as metaEntry before a replay
	metaDeliveries = "unacked:deliveries" // how often it was delivered
	metaConsumer   = "unacked:consumer"   // who held it last
	metaReason     = "unacked:reason"     // why it was given up
	metaTime       = "unacked:time"       // when, in ms, by the server's clock
	metaReplays    = "unacked:replays"    // how often it had been put back to work before
)

// metaKept is the first field of a letter that was replayed and kept, before all others; its value is the id of the
// entry that the replay made. An entry of a stream cannot be changed: a kept letter is a new one, with a new id.
const metaKept = "unacked:kept"

// metaNames are the leading fields of a dead letter. Changing them makes older dead letters foreign ones.
var metaNames = []string{
	metaStream, metaGroup, metaEntry, metaOriginal, metaDeliveries, metaConsumer, metaReason, metaTime, metaReplays,
}

// Original tells what an entry was before it was dead-lettered and replayed: the id under which it was first added,
// how often it was replayed, and its own fields without the two that a replay adds at the end. For an entry that was
// never replayed these are its own id, 0 and all its fields.
func Original(e Entry) (id string, replays int64, fields []Field) {
	n := len(e.Fields)
	if n < 3 || e.Fields[n-2].Name != metaOriginal || e.Fields[n-1].Name != metaReplays {
		return e.ID, 0, e.Fields
	}
	original, ok := parseID(e.Fields[n-2].Value)
	count, countOK := parseCount(e.Fields[n-1].Value)
	if !ok || !countOK || original.String() != e.Fields[n-2].Value {
		return e.ID, 0, e.Fields
	}
	return e.Fields[n-2].Value, count, e.Fields[:n-2]
}
