package watch

import (
	"strings"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

const loading = "LOADING Redis is loading the dataset in memory"

// afterHandshake is every command but those that a loading server answers too.
func afterHandshake(command []string) bool {
	return command[0] != "HELLO" && command[0] != "CLIENT" && command[0] != "AUTH"
}

func targetOf(t *testing.T, url string) redisq.Target {
	t.Helper()
	target, err := redisq.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// What will not pass is said at once, and what may is left to the watching.
func TestCheck(t *testing.T) {
	check := func(t *testing.T, target redisq.Target, stream string) error {
		t.Helper()
		return Check(t.Context(), Options{Target: target, Stream: stream})
	}
	if err := check(t, targetOf(t, "redis://127.0.0.1:1"), ""); err != nil {
		t.Errorf("nobody listens: %v, want to wait", err)
	}
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		key := s.Key(t, "q")
		if err := check(t, targetOf(t, s.URL), key); err != nil {
			t.Errorf("a stream that is not there: %v, want none", err)
		}
		proxy := s.NewProxy(t)
		proxy.Answer(loading, afterHandshake)
		for _, stream := range []string{"", key} {
			if err := check(t, targetOf(t, proxy.URL()), stream); err != nil {
				t.Errorf("loading: %v, want to wait", err)
			}
		}
		if s.Embedded {
			return // it has no ACL, and any number of databases
		}
		o := connect(t, s.URL)
		o.do("ACL SETUSER nothing on >pw ~* -@all")
		o.do("ACL SETUSER little on >pw ~* -@all +xlen")
		for _, c := range []struct {
			name, url, user, stream, code, says string
		}{
			{"wrong password", "", "little:no", "", "WRONGPASS", "check the user and the password"},
			{"no such database", "/9999", "", "", "ERR", "out of range"},
			{"no right at all", "", "nothing:pw", "", "NOPERM", "name a stream with --stream"},
			{"no right at all to a stream", "", "nothing:pw", key, "NOPERM", "ask for the right"},
			{"no right to look for streams", "", "little:pw", "", "NOPERM", "name a stream with --stream"},
			{"a little right", "", "little:pw", key, "", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				user, pass, _ := strings.Cut(c.user, ":")
				err := check(t, targetOf(t, s.URL+c.url).WithPassword(user, pass), c.stream)
				if redisq.CodeOf(err) != c.code {
					t.Fatalf("%v, want the code %q", err, c.code)
				}
				if err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v does not say %q", err, c.says)
				}
			})
		}
	})
}

// A server that is not there yet, or reads its data, is waited for: its streams come when it answers.
func TestWatchWaitsForTheServer(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		key := s.Key(t, "q")
		o.do("XGROUP CREATE " + key + " g 0 MKSTREAM")
		o.do("XADD " + key + " * f v")
		proxy := s.NewProxy(t)
		proxy.Answer(loading, afterHandshake)
		all := begin(t, proxy.URL(), s.Embedded, Options{Match: key + "*"})
		one := begin(t, proxy.URL(), s.Embedded, Options{Stream: key, Group: "g"})
		u := until(t, all, "that it loads, twice", func() func(Update) bool {
			tries := map[int]bool{}
			return func(u Update) bool {
				tries[len(u.Commands)] = true
				return u.Streams != nil && redisq.CodeOf(u.Streams.Err) == "LOADING" && len(tries) > 1
			}
		}())
		if u.Streams.Ended || len(u.Streams.Rows) > 0 {
			t.Errorf("there is a list: %+v", u.Streams)
		}
		until(t, one, "that it loads", func(u Update) bool {
			return u.Snapshot != nil && redisq.CodeOf(u.Snapshot.Err) == "LOADING"
		})
		proxy.Answer("", nil)
		u = until(t, all, "the streams", func(u Update) bool { return u.Streams.Err == nil && u.Streams.Ended })
		if len(u.Streams.Rows) != 1 || u.Streams.Rows[0].Undelivered.Value != 1 {
			t.Errorf("the rows are %+v", u.Streams.Rows)
		}
		u = until(t, one, "the group and what is wrong with it", func(u Update) bool { return good(u) && u.Doctor != nil && u.Doctor.Err == nil })
		if u.Snapshot.Group.Undelivered.Value != 1 {
			t.Errorf("the group is %+v", u.Snapshot.Group)
		}
	})
}
