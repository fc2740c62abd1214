package redisq

import (
	"strconv"
	"time"
)

// mostInCommand is how many bytes of fields a command for a person spells out.
const mostInCommand = 4096

// DeadLetterCommands returns the commands that move a pending entry to the dead letters of q by hand, as
// [Group.DeadLetter] does it in one step: XADD with the metadata and the entry's own fields, then XACK. ok is false when
// the body is not known, gone, or too large to be typed.
func DeadLetterCommands(q Queue, e PendingEntry, reason string, at time.Time) (commands [][]string, ok bool) {
	if e.Gone || len(e.Fields) == 0 || size(e.Entry) > mostInCommand {
		return nil, false
	}
	original, replays, fields := Original(e.Entry)
	add := []string{
		"XADD", q.DeadLetter, "*", metaStream, q.Stream, metaGroup, q.Group, metaEntry, e.ID, metaOriginal, original,
		metaDeliveries, strconv.FormatInt(e.Deliveries, 10), metaConsumer, e.Consumer, metaReason, reason,
		metaTime, strconv.FormatInt(at.UnixMilli(), 10), metaReplays, strconv.FormatInt(replays, 10),
	}
	return [][]string{append(add, flatten(fields)...), {"XACK", q.Stream, q.Group, e.ID}}, true
}
