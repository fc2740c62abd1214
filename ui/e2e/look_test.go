package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// The exit codes of the commands that look once, and what stands on which stream.
func TestLookOnce(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	if err := client.XGroupCreateMkStream(t.Context(), "orders", "mailers", "0").Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		out  string // in the output
		errs string // on standard error, "" is nothing
	}{
		{[]string{"snapshot", s.URL()}, 0, "orders", ""},
		{[]string{"snapshot", s.URL(), "--stream", "orders", "--group", "mailers", "--json"}, 0, `"pending":0`, ""},
		{[]string{"snapshot", s.URL(), "--stream", "nope"}, 1, "the stream nope does not exist", "unacked: the stream nope does not exist"},
		{[]string{"snapshot", s.URL(), "--stream", "nope", "--json"}, 1, `"error":"the stream nope does not exist"`, "unacked: the stream nope does not exist"},
		{[]string{"snapshot", s.URL(), "--stream", "orders", "--group", "nope", "--json"}, 1, "its only group is mailers", "unacked: the group nope does not exist on orders"},
		{[]string{"snapshot", s.URL(), "--group", "nope"}, 1, "No stream has a group nope", "unacked: no stream has a group nope"},
		{[]string{"snapshot", "redis://127.0.0.1:1", "--json"}, 1, "", "connection refused"},
		{[]string{"doctor", s.URL(), "--for", "0", "--stream", "orders"}, 0, "Healthy", ""},
		{[]string{"doctor", s.URL(), "--for", "0", "--stream", "nope"}, 1, "stream-missing", ""},
		{[]string{"doctor", s.URL(), "--for", "0", "--stream", "orders", "--group", "nope", "--json"}, 1, `"code":"group-missing"`, ""},
		{[]string{"doctor", s.URL(), "--for", "0", "--group", "nope", "--json"}, 1, `"code":"group-missing"`, ""},
		{[]string{"doctor", "redis://127.0.0.1:1", "--json"}, 2, "", "connection refused"},
	} {
		out, errs, code := piped(t, c.args...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) || (errs == "") != (c.errs == "") {
			t.Errorf("%q: exit code %d, out %q, err %q; want %d, %q and %q", c.args, code, out, errs, c.code, c.out, c.errs)
		}
		if (out == "") != (c.out == "") {
			t.Errorf("%q wrote %q", c.args, out)
		}
		if last := c.args[len(c.args)-1]; last == "--json" && out != "" && !json.Valid([]byte(out)) {
			t.Errorf("%q is no JSON: %s", c.args, out)
		}
	}
}
