package doctor

import (
	"slices"
	"strings"

	"example.com/unacked/redisq"
)

// eachKey is how many keys that may not be read get a finding of their own; more are said in one.
const eachKey = 3

// denied is a right that is missing: a command, or a key.
type denied struct {
	key              string // "" is the command, whatever the key
	commands, panels []string
	at               []*Reading
}

func (d *denied) meet(p redisq.Problem, r *Reading) {
	for _, m := range []struct {
		all *[]string
		one string
	}{{&d.commands, p.Command}, {&d.panels, p.Panel}} {
		if !slices.Contains(*m.all, m.one) {
			*m.all = append(*m.all, m.one)
		}
	}
	if !slices.Contains(d.at, r) {
		d.at = append(d.at, r)
	}
}

// permissions says each missing right once, with the streams where it is missing: first commands, then keys.
func (d *diagnosis) permissions(last []*Reading) {
	type right struct{ command, key string }
	of := map[right]*denied{}
	var commands, keys []*denied
	for _, r := range last {
		for _, p := range problemsOf(r) {
			if p.Code != redisq.ProblemNoPermission {
				continue
			}
			k := right{p.Command, p.Key}
			if p.Key != "" {
				k.command = ""
			}
			if of[k] == nil {
				of[k] = &denied{key: p.Key}
				if p.Key != "" {
					keys = append(keys, of[k])
				} else {
					commands = append(commands, of[k])
				}
			}
			of[k].meet(p, r)
		}
	}
	for _, m := range commands {
		d.mayNot(m, nil)
	}
	if len(keys) <= eachKey {
		for _, m := range keys {
			d.mayNot(m, []string{m.key})
		}
		return
	}
	all := &denied{}
	var names []string
	for _, m := range keys {
		names = append(names, m.key)
		for _, r := range m.at {
			for _, command := range m.commands {
				all.meet(redisq.Problem{Command: command, Panel: m.panels[0]}, r)
			}
		}
	}
	d.mayNot(all, names)
}

// mayNot is the finding of one right.
func (d *diagnosis) mayNot(m *denied, keys []string) {
	user := m.at[0].User
	f := Finding{Code: NoPermission, Severity: Warning}
	if len(m.at) == 1 {
		f.Stream = m.at[0].Name
	}
	commands, grant := strings.Join(m.commands, ", "), []string{"ACL", "SETUSER", user}
	f.Text = "The user " + user + " may not send " + commands
	for _, key := range keys[:min(len(keys), mostIDs)] {
		grant = append(grant, "%R~"+key)
	}
	switch {
	case len(keys) == 1:
		f.Text += " on the key " + keys[0]
	case len(keys) > 1:
		f.Text += " on " + count(int64(len(keys)), "key", "keys") + " (" + strings.Join(keys[:eachKey], ", ") + ", …)"
	default:
		grant = append(grant, "+"+aclName(commands))
	}
	panels := strings.Join(m.panels, ", ")
	f.Text += ": what it would tell (" + panels + ") is not known here."
	key := ""
	if len(keys) > 0 {
		key = keys[0]
	}
	f.Evidence = []Fact{
		{"user", user}, {"command", commands}, {"key", key}, {"keys", int64(len(keys))}, {"panel", panels}, {"streams", int64(len(m.at))},
	}
	f.Remedies = []Remedy{{Text: "Grant the right, or connect as another user:", Commands: [][]string{grant}}}
	d.add(f)
}
