package ui

import (
	"slices"
	"strconv"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
)

// watchFindings are what holds where streams of others are watched, worst first: whether anything is known at all, what
// the doctor finds, and how the figures move.
func watchFindings(d *data) []finding {
	others := map[string]int{}
	for _, f := range d.findings() {
		others[codeWord(f.Code)] += max(0, len(f.Others)-1)
	}
	return eachOnce(watchAll(d), others)
}

// watchAll is watchFindings with every finding, also those of one word.
func watchAll(d *data) []finding {
	if d.watch.browsing {
		return listFindings(d)
	}
	if text, ok := noAnswer(d); ok {
		return []finding{{level: levelBad, word: "NO ANSWER", text: text}}
	}
	if d.good == nil {
		return []finding{{level: levelCalm, word: "READING", text: "the first reading of " + chosenText(d) + " is on its way"}}
	}
	var found, denied, calm []finding
	moving := true
	if text, ok := gone(d); ok {
		found, moving = append(found, finding{level: levelBad, word: "NOT THERE", text: text}), false
	} else if text, ok := wentBack(d); ok {
		found = append(found, finding{level: levelBad, word: "WENT BACK", text: text})
	}
	for _, f := range d.findings() {
		one := finding{level: levelCalm, word: codeWord(f.Code), text: clean(f.Text), about: f.Consumer}
		switch f.Severity {
		case doctor.Critical:
			one.level = levelBad
		case doctor.Warning:
			one.level = levelWarn
		}
		switch {
		case aboutGone(f):
			continue // the newer reading tells: said above, or it is there again
		case !moving && f.Group != "" && f.Code != doctor.DeadLetters:
			continue // of a group that is not there any more
		case one.level == levelCalm:
			calm = append(calm, one)
		case f.Code == doctor.NoPermission && one.level == levelWarn:
			denied = append(denied, one) // about us; what is wrong with the queue comes first
		default:
			found = append(found, one)
		}
	}
	found = append(found, denied...)
	// The doctor takes its time; what a reading could not tell is known at once.
	if text, ok := partlyRead(d); ok && moving && d.last.Doctor == nil {
		found = append(found, finding{level: levelWarn, word: "PARTLY READ", text: text})
	}
	if moving {
		found = append(found, movement(d))
	}
	return append(found, calm...)
}

// eachOnce keeps the first finding of each word, and says how many there are; others are how many more some stand for.
func eachOnce(all []finding, others map[string]int) []finding {
	count := make(map[string]int, len(all))
	kept := all[:0:0]
	for _, f := range all {
		if count[f.word]++; count[f.word] == 1 {
			kept = append(kept, f)
		}
	}
	for i, f := range kept {
		if n := count[f.word] - 1 + others[f.word]; n > 0 && f.word != "FALLING BEHIND" { // the doctor says that, and the figures
			kept[i].text = "One of " + strconv.Itoa(n+1) + ": " + kept[i].text
		}
	}
	return kept
}

// codeWord is a finding's code as the verdict says it: "STUCK CONSUMER".
func codeWord(c doctor.Code) string { return strings.ToUpper(strings.ReplaceAll(string(c), "-", " ")) }

func chosenText(d *data) string {
	return clean(d.watch.chosen.Stream) + " " + d.look.glyphs.Into + " " + clean(d.watch.chosen.Group)
}

// aboutGone says that a finding is that the stream or the group is not there. The key of the dead letters may hold
// another type too.
func aboutGone(f doctor.Finding) bool {
	switch f.Code {
	case doctor.StreamMissing, doctor.GroupMissing:
		return true
	case doctor.WrongType:
		return slices.Contains(f.Evidence, doctor.Fact{Name: "key", Value: f.Stream})
	}
	return false
}

// gone says that what was chosen is not there.
func gone(d *data) (string, bool) {
	s, g, q := d.good.Stream, d.good.Group, d.good.Queue
	switch {
	case s.WrongType != "":
		return "the key " + clean(q.Stream) + " holds a " + clean(s.WrongType) + ", not a stream", true
	case s.Missing:
		return "there is no stream " + clean(q.Stream) + ": never added to, deleted, flushed or evicted", true
	case g.Missing && q.Group == "":
		return "the stream " + clean(q.Stream) + " has no consumer group: nobody is given its " + manyOf(s.Length, "entry"), true
	case g.Missing:
		return "there is no group " + clean(q.Group) + " on " + clean(q.Stream) + ": its readers get NOGROUP", true
	}
	return "", false
}

// wentBack says that the stream or the group is another than before, or earlier.
func wentBack(d *data) (string, bool) {
	for _, p := range d.good.Problems {
		if p.Code == redisq.ProblemReplaced {
			return clean(p.Text), true
		}
	}
	return "", false
}

// movement is how the figures move, where nothing worse is to be said.
func movement(d *data) finding {
	in, done, n := d.rates.In, d.rates.Done, d.waiting()
	text := capacityText(d)
	switch {
	case n.Known && n.Value == 0 && in.Known && in.PerSecond < 0.05:
		return finding{level: levelGood, word: "IDLE", text: "nothing waits and nothing comes in"}
	case !in.Known || !done.Known || !n.Known:
		return finding{level: levelCalm, word: "WATCHING", text: text}
	case n.Value > 0 && done.PerSecond < 0.05:
		return finding{level: levelWarn, word: "STALLED", text: manyOf(n, "entry") + " not acked and nothing is done; " + text}
	case d.drain.Never:
		return finding{level: levelWarn, word: "FALLING BEHIND", text: text}
	case n.Value >= redisq.SmallBacklog && d.drain.In > 0:
		return finding{level: levelGood, word: "DRAINING", text: text}
	}
	return finding{level: levelGood, word: "FLOWING", text: text}
}

// listFindings is the verdict over the list of streams.
func listFindings(d *data) []finding {
	s := d.watch.streams
	switch {
	case s == nil:
		return []finding{{level: levelCalm, word: "LOOKING", text: "for streams at " + clean(d.watch.address)}}
	case s.Err != nil && len(s.Rows) == 0 && redisq.Passing(s.Err):
		return []finding{{level: levelBad, word: "NO ANSWER", text: trying(d.now.Sub(s.At)) + clean(s.Err.Error())}}
	case s.Err != nil && len(s.Rows) == 0:
		return []finding{{level: levelBad, word: "NO LIST", text: clean(s.Err.Error()) + noScan(s.Err)}}
	case s.Err != nil:
		return []finding{{level: levelBad, word: "NO ANSWER", text: "the list is of " + clockText(s.At) + ": " + clean(s.Err.Error())}}
	case len(s.Rows) == 0 && s.Ended:
		return []finding{{level: levelCalm, word: "EMPTY", text: "there is no stream at " + clean(d.watch.address)}}
	case len(s.Rows) == 0:
		return []finding{{level: levelCalm, word: "LOOKING", text: "for streams: " + strconv.Itoa(s.Found) + " so far"}}
	}
	var groups, wrong int64
	for i := range s.Rows {
		if s.Rows[i].Group != "" {
			groups++
		}
		if s.Rows[i].Trouble >= redisq.TroubleUnknown {
			wrong++
		}
	}
	text := many(int64(s.Found), "stream") + " with " + many(groups, "group")
	if s.Looked < s.Found {
		text += ", " + strconv.Itoa(s.Looked) + " streams read so far"
	}
	open := "; " + keyOf(d.keys.Open, "enter") + " opens the one under the cursor"
	if wrong == 0 {
		return []finding{{level: levelGood, word: "CHOOSE", text: text + ": none needs a look" + open}}
	}
	return []finding{{level: levelWarn, word: "CHOOSE", text: text + ": " + strconv.FormatInt(wrong, 10) + " " + needs(wrong) + " a look" + open}}
}

func needs(n int64) string {
	if n == 1 {
		return "needs"
	}
	return "need"
}
