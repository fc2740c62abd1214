package redisq

import (
	"cmp"
	"slices"
	"sync"
)

// trashBytes is how much a Trash keeps.
const trashBytes = 256 << 20

// trashFull is why a letter is not discarded.
const trashFull = "the undo holds no more than 256 MB: bring letters back, or discard the rest in another run of the program"

// letterBytes is roughly what a letter takes besides its fields.
const letterBytes = 200

// Trash keeps the dead letters that were discarded, in memory, so that they can be brought back until the program
// ends. The zero value is empty and ready; it is safe for concurrent use.
type Trash struct {
	mu    sync.Mutex
	kept  map[trashKey]Discarded // guarded by mu
	count int64                  // guarded by mu: numbers what is put in
	bytes int                    // guarded by mu
}

type trashKey struct{ deadLetter, id string }

// Discarded is a letter that was discarded.
type Discarded struct {
	Entry
	DeadLetter string // the key that it was in
	// Unsure says that the reply to the deletion was lost: another person may have replayed or deleted the letter in that
	// moment instead.
	Unsure bool

	number int64
}

// Len returns how many letters the trash holds.
func (t *Trash) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.kept)
}

// Letters returns what the trash holds, in the order in which it was discarded.
func (t *Trash) Letters() []Discarded {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Discarded, 0, len(t.kept))
	for _, d := range t.kept {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Discarded) int { return cmp.Compare(a.number, b.number) })
	return all
}

// hasRoom says that a letter can be kept.
func (t *Trash) hasRoom(e Entry) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes+letterBytes+size(e) <= trashBytes
}

func (t *Trash) put(d Discarded) {
	t.take(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil {
		t.kept = map[trashKey]Discarded{}
	}
	t.count++
	d.number = t.count
	t.kept[trashKey{d.DeadLetter, d.ID}] = d
	t.bytes += letterBytes + size(d.Entry)
}

func (t *Trash) take(d Discarded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := trashKey{d.DeadLetter, d.ID}
	if kept, ok := t.kept[key]; ok {
		delete(t.kept, key)
		t.bytes -= letterBytes + size(kept.Entry)
	}
}
