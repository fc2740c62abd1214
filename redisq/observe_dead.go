package redisq

import "time"

// deadCache keeps the dead letters from one reading to the next: while the length and the newest id are the same, so
// are the letters, and they are not fetched again. The newest, which brings its body, is looked at every bigBodyAge where
// that is large.
type deadCache struct {
	known  bool
	length int64
	top    string
	topAt  time.Time // when the newest was looked at
	size   int       // bytes of the newest
	rows   []DeadLetter
	more   bool
}

// restsOn says that the newest letter need not be looked at again: only the length tells whether there are others.
func (d *deadCache) restsOn(now time.Time) bool {
	return d.known && d.size >= bigBody && now.Sub(d.topAt) < bigBodyAge
}

// askDead asks for the newest dead letters, where they changed.
func (r *reading) askDead(b *batch, length, top *result) int {
	page := &r.snap.Dead
	if length == nil {
		page.Length = Unknown("this queue has no dead letters")
		return -1
	}
	if length.err != nil {
		page.Length = Unknown(r.problem("dead", length.err))
		r.dead = deadCache{}
		return -1
	}
	n, _ := asInt(length.reply)
	page.Length = Exact(n, FromServer)
	now := r.dead
	if top != nil {
		if top.err != nil {
			r.problem("dead", top.err)
			r.dead = deadCache{}
			return -1
		}
		now.top, now.size, now.topAt = "", 0, r.snap.At
		if entries := asEntries(top.reply); len(entries) > 0 {
			now.top, now.size = entries[0].ID, size(entries[0])
		}
	}
	if r.dead.known && r.dead.length == n && r.dead.top == now.top {
		r.dead = now
		page.Rows, page.More = r.dead.rows, r.dead.more
		return -1
	}
	r.dead = deadCache{length: n, top: now.top, size: now.size, topAt: now.topAt}
	if n == 0 {
		// XLEN of a key that is not there is 0 as well; an emptied stream looks the same to a person.
		page.Missing = true
		return -1
	}
	return b.add("XREVRANGE", r.q.DeadLetter, "+", "-", "COUNT", r.deadRows()+1)
}

// deadRows is how many dead letters are read.
func (r *reading) deadRows() int { return affordable(r.dead.size, 1, r.o.DeadRows) }

func (r *reading) readDead(letters *result) {
	if letters == nil {
		return
	}
	if letters.err != nil {
		r.problem("dead", letters.err)
		return
	}
	page := &r.snap.Dead
	entries := asEntries(letters.reply)
	if most := r.deadRows(); len(entries) > most {
		page.More, entries = true, entries[:most]
	}
	page.Rows = make([]DeadLetter, len(entries))
	for i, e := range entries {
		page.Rows[len(entries)-1-i] = ParseDeadLetter(e)
	}
	r.dead.known, r.dead.rows, r.dead.more = true, page.Rows, page.More
	if len(entries) > 0 { // the newest may be another by now
		r.dead.top, r.dead.size = entries[0].ID, size(entries[0])
	}
}

// ParseDeadLetter tells the metadata of a dead letter from the original fields. Where its leading fields are not those
// that this program writes, in their order, the letter is Foreign and all fields are its own.
func ParseDeadLetter(e Entry) DeadLetter {
	if kept := keptAs(e); kept != "" {
		letter := ParseDeadLetter(Entry{ID: e.ID, Fields: e.Fields[1:]})
		letter.Kept = kept
		return letter
	}
	foreign := DeadLetter{ID: e.ID, Foreign: true, Fields: e.Fields}
	if len(e.Fields) < len(metaNames) {
		return foreign
	}
	meta := map[string]string{}
	for i, name := range metaNames {
		if e.Fields[i].Name != name {
			return foreign
		}
		meta[name] = e.Fields[i].Value
	}
	letter := DeadLetter{
		ID: e.ID, Stream: meta[metaStream], Group: meta[metaGroup], Entry: meta[metaEntry], Original: meta[metaOriginal],
		Consumer: meta[metaConsumer], Reason: meta[metaReason], Fields: e.Fields[len(metaNames):],
	}
	letter.Deliveries, _ = asInt(meta[metaDeliveries])
	letter.Replays, _ = asInt(meta[metaReplays])
	if ms, ok := asInt(meta[metaTime]); ok {
		letter.At = time.UnixMilli(ms)
	}
	return letter
}

// keptAs returns the id of the entry that a replay made of a letter which it kept, "" for any other letter.
func keptAs(e Entry) string {
	if len(e.Fields) > 1 && e.Fields[0].Name == metaKept {
		if id, ok := parseID(e.Fields[0].Value); ok && id.String() == e.Fields[0].Value {
			return e.Fields[0].Value
		}
	}
	return ""
}
