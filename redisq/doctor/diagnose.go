package doctor

import (
	"slices"

	"example.com/unacked/redisq"
)

// mostIDs is how many ids a finding and its commands name.
const mostIDs = 100

// Diagnose says what is wrong, worst first. Readings may be of several streams; those of one stream are put in the order
// of their times. Findings that need a rate take two readings at least a second apart: with one they are left out. A
// reading that failed is left out as well.
//
// It has no clock and changes nothing; the same readings give the same findings.
func Diagnose(readings []Reading, t Thresholds) []Finding {
	var names []string
	of := map[string][]*Reading{}
	for i := range readings {
		r := &readings[i]
		if r.Err != nil {
			continue
		}
		if of[r.Name] == nil {
			names = append(names, r.Name)
		}
		of[r.Name] = append(of[r.Name], r)
	}
	d := &diagnosis{t: t}
	var last []*Reading
	for _, name := range names {
		all := of[name]
		slices.SortStableFunc(all, func(a, b *Reading) int { return a.At.Compare(b.At) })
		s := &stream{diagnosis: d, all: all, Reading: all[len(all)-1]}
		s.examine()
		last = append(last, s.Reading)
	}
	d.server(last)
	sortFindings(d.findings)
	return d.findings
}

type diagnosis struct {
	t        Thresholds
	findings []Finding
}

func (d *diagnosis) add(f Finding) {
	f.IDs = f.IDs[:min(len(f.IDs), mostIDs)]
	d.findings = append(d.findings, f)
}

// server finds what is the same for all streams, so that it is said once.
func (d *diagnosis) server(last []*Reading) {
	d.permissions(last)
	for _, r := range last {
		if r.Server.Role == "replica" {
			d.add(Finding{
				Code: Replica, Severity: Info,
				Text: "The server at " + r.Server.Addr + " is a replica: it can be watched, not changed. It may be behind its master, and " +
					"is not told the lag and entries-read of a group, so that what was trimmed unread is not known here" + cutOnReplica(last) + ".",
				Evidence: []Fact{{"addr", r.Server.Addr}, {"role", r.Server.Role}},
				Remedies: []Remedy{{Text: "See who its master is, and connect there for anything but watching:", Commands: [][]string{{"INFO", "replication"}}}},
			})
			return
		}
	}
}

// cutOnReplica names a group before whose next entry something may have been trimmed, which only the master can tell.
func cutOnReplica(last []*Reading) string {
	for _, r := range last {
		for i := range r.Groups {
			g := &r.Groups[i]
			if g.TrimmedUnread.Reason == redisq.ReplicaUntold && before(g.LastDelivered, r.Stream.FirstID) {
				return ": " + r.Name + " begins after where " + g.Name + " is, so ask the master about " + g.Name
			}
		}
	}
	return ""
}

// problemsOf are those of the stream and of all its groups.
func problemsOf(r *Reading) []redisq.Problem {
	all := slices.Clone(r.Problems)
	for i := range r.Groups {
		all = append(all, r.Groups[i].Problems...)
	}
	return all
}
