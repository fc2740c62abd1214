package doctor

import (
	"cmp"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// stream is one stream while it is looked at: its readings in order, of which the last is embedded.
type stream struct {
	*diagnosis
	*Reading
	all []*Reading
}

func (s *stream) examine() {
	switch {
	case s.Stream.Missing:
		s.missing()
		return
	case s.Stream.WrongType != "":
		s.wrongType(s.Name, s.Stream.WrongType, "the queue")
		return
	}
	for _, p := range s.Problems {
		if p.Panel == "dead" && p.Code == redisq.ProblemWrongType {
			s.wrongType(s.DeadLetter, cmp.Or(s.Dead.WrongType, "not told"), "the dead letters")
		}
	}
	s.deadLetters()
	if s.Named && s.Wanted == "" && len(s.Groups) == 0 && !s.Partial && s.DeadLetterOf == "" {
		s.noGroup()
	}
	for i := range s.Groups {
		if g := &s.Groups[i]; s.Wanted == "" || s.Wanted == g.Name {
			s.examineGroup(g)
		}
	}
	s.unbounded()
}

func (s *stream) missing() {
	if !s.Named {
		return // it was deleted while we looked
	}
	f := Finding{
		Code: StreamMissing, Severity: Critical, Stream: s.Name, Group: s.Wanted,
		Text:     "The stream " + s.Name + " does not exist: nothing was ever added under this name, or it was deleted or evicted.",
		Evidence: []Fact{{"exists", false}},
		Remedies: []Remedy{{Text: "See which streams there are, also in other databases (SELECT):", Commands: [][]string{{"SCAN", "0", "COUNT", "1000", "TYPE", "stream"}}}},
	}
	if s.Wanted != "" {
		f.Remedies = append(f.Remedies, Remedy{
			Text:     "Create it empty with the group at its beginning, so that nothing that is added from now on is missed:",
			Commands: [][]string{{"XGROUP", "CREATE", s.Name, s.Wanted, "0", "MKSTREAM"}},
			Wish:     desk.Wish{Deed: desk.CreateGroup, Group: s.Wanted, Start: "0"},
		})
	}
	s.add(f)
}

func (s *stream) wrongType(key, kind, what string) {
	kind = strings.TrimPrefix(kind, "rejson-") // a module's own word is no help
	s.add(Finding{
		Code: WrongType, Severity: Critical, Stream: s.Name,
		Text: "The key " + key + " is to hold " + what + " as a stream, and holds a value of type " + kind +
			": every stream command on it fails with WRONGTYPE.",
		Evidence: []Fact{{"key", key}, {"type", kind}},
		Remedies: []Remedy{
			{
				Text:     "Look who wrote it, and name another key; nothing is to be deleted before that is known:",
				Commands: [][]string{{"TYPE", key}, {"OBJECT", "IDLETIME", key}},
			},
		},
	})
}

func (s *stream) noGroup() {
	s.add(Finding{
		Code: GroupMissing, Severity: Critical, Stream: s.Name,
		Text: "The stream " + s.Name + " has no consumer group" + stored(s.Stream.Length) + ". After a flush or failover the producers " +
			"create the stream again, but not the group.",
		Evidence: []Fact{{"length", s.Stream.Length}, {"groups", []string{}}},
		Remedies: []Remedy{{
			Text:     "Create the group at the beginning, so that nothing stored is missed (name it as your workers do):",
			Commands: [][]string{{"XGROUP", "CREATE", s.Name, "workers", "0"}},
			Wish:     desk.Wish{Deed: desk.CreateGroup, Start: "0"},
		}},
	})
}

// stored says how many entries wait, where that is known.
func stored(length redisq.Number) string {
	if !length.Known || length.Value == 0 {
		return ""
	}
	return ", and " + entries(length.Value) + " " + be(length.Value) + " stored"
}

// groupMissing is for a group that a person asked for.
func (s *stream) groupMissing(name string) {
	if s.Stream.Missing {
		return
	}
	if s.Name == "" {
		s.add(Finding{
			Code: GroupMissing, Severity: Critical, Group: name, Text: "No stream on this server has a group " + name + ".",
			Evidence: []Fact{{"length", redisq.Unknown("no stream was named")}, {"groups", []string{}}},
			Remedies: []Remedy{{Text: "See which streams there are, and name one:", Commands: [][]string{{"SCAN", "0", "COUNT", "1000", "TYPE", "stream"}}}},
		})
		return
	}
	others := []string{}
	for i := range s.Groups {
		if s.Groups[i].Name != name {
			others = append(others, s.Groups[i].Name)
		}
	}
	text := "The stream " + s.Name + " has no group " + name + stored(s.Stream.Length) + "; "
	if len(others) == 0 {
		text += "it has no group at all, as after a flush or failover, when producers create the stream again but not the group."
	} else {
		text += "its groups are " + strings.Join(others[:min(len(others), 5)], ", ") + "."
	}
	s.add(Finding{
		Code: GroupMissing, Severity: Critical, Stream: s.Name, Group: name, Text: text,
		Evidence: []Fact{{"length", s.Stream.Length}, {"groups", others}},
		Remedies: []Remedy{
			{
				Text:     "Create it at the beginning: all that is stored is delivered, again where it was done before:",
				Commands: [][]string{{"XGROUP", "CREATE", s.Name, name, "0"}},
				Wish:     desk.Wish{Deed: desk.CreateGroup, Group: name, Start: "0"},
			},
			{
				Text:     "Or at the end: what is stored now is skipped:",
				Commands: [][]string{{"XGROUP", "CREATE", s.Name, name, "$"}},
				Wish:     desk.Wish{Deed: desk.CreateGroup, Group: name, Start: "$"},
			},
		},
	})
}

// unbounded is about entries that every group is done with.
func (s *stream) unbounded() {
	length, added := s.Stream.Length, s.Stream.Added
	if s.Partial || s.DeadLetterOf != "" || len(s.Groups) == 0 || !length.Known || !added.Known || added.Value != length.Value {
		return
	}
	var most int64
	for i := range s.Groups {
		g := &s.Groups[i]
		if !g.Backlog.Known || g.Backlog.AtLeast {
			return
		}
		most = max(most, g.Backlog.Value)
	}
	handled, point := length.Value-most, s.safePoint()
	if handled < s.t.Stored || point == "" {
		return
	}
	s.add(Finding{
		Code: Unbounded, Severity: Info, Stream: s.Name,
		Text: "Of " + entries(length.Value) + " stored in " + s.Name + ", about " + number(handled) + " were acknowledged by every group, " +
			"and nothing was ever trimmed: XACK frees no memory, so the stream grows for ever.",
		Evidence: []Fact{{"length", length.Value}, {"handled", handled}, {"entries_added", added.Value}, {"safe_minid", point}},
		Remedies: []Remedy{
			{
				Text:     "Trim what every group is done with; nothing that is pending or undelivered goes:",
				Commands: [][]string{{"XTRIM", s.Name, "MINID", "~", point}},
				Wish:     desk.Wish{Deed: desk.Trim},
			},
			{Text: "And let the producer keep it bounded, with a cap well above the largest backlog that you ever want to survive:"},
		},
	})
}

// before says that id a is smaller than id b; false where one is no id.
func before(a, b string) bool {
	order, ok := redisq.CompareIDs(a, b)
	return ok && order < 0
}
