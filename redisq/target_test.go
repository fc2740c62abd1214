package redisq

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	for raw, want := range map[string]Target{
		"127.0.0.1:7000":                      {Addrs: []string{"127.0.0.1:7000"}},
		"example.com":                         {Addrs: []string{"example.com:6379"}},
		"[::1]:7000":                          {Addrs: []string{"[::1]:7000"}},
		"redis://[::1]":                       {Addrs: []string{"[::1]:6379"}},
		"redis://":                            {Addrs: []string{"127.0.0.1:6379"}},
		" redis://h:1/3 ":                     {Addrs: []string{"h:1"}, DB: 3},
		"redis://h:1?db=4":                    {Addrs: []string{"h:1"}, DB: 4},
		"valkey://u:p%40ss@h:1":               {Addrs: []string{"h:1"}, User: "u", Pass: "p@ss"},
		"redis://u:a/b#c:d@h:1":               {Addrs: []string{"h:1"}, User: "u", Pass: "a/b#c:d"}, // not escaped, and yet clear
		"redis://:p@h":                        {Addrs: []string{"h:6379"}, Pass: "p"},
		"redis://u@h":                         {Addrs: []string{"h:6379"}, User: "u"},
		"REDISS://h":                          {Addrs: []string{"h:6379"}, TLS: true},
		"valkeys://h?tls_ca=/a&skip_verify=1": {Addrs: []string{"h:6379"}, TLS: true, CAFile: "/a", Insecure: true},
		"a:1,b:2,c":                           {Addrs: []string{"a:1", "b:2", "c:6379"}},
		"redis://u:p@a:1,b:2":                 {Addrs: []string{"a:1", "b:2"}, User: "u", Pass: "p"},
		"unix:///run/redis.sock?db=2":         {Socket: "/run/redis.sock", DB: 2},
		"unix://u:p@/run/a%20b.sock":          {Socket: "/run/a b.sock", User: "u", Pass: "p"},
		"redis+sentinel://s1,s2:5/main/1":     {Addrs: []string{"s1:26379", "s2:5"}, Master: "main", DB: 1},
		"redis://s1:5?master_name=main&sentinel_user=a&sentinel_password=b": {
			Addrs: []string{"s1:5"}, Master: "main", SentinelUser: "a", SentinelPass: "b",
		},
	} {
		got, err := ParseTarget(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		sameTarget(t, raw, got, want)
		again, err := ParseTarget(got.URL())
		if err != nil {
			t.Errorf("%s: its URL %s: %v", raw, got.URL(), err)
			continue
		}
		sameTarget(t, "the URL of "+raw, again, want)
	}
}

func sameTarget(t *testing.T, what string, got, want Target) {
	t.Helper()
	type plain Target // without String
	sameText(t, what, fmt.Sprintf("%+v", plain(got)), fmt.Sprintf("%+v", plain(want)))
}

const secret = "s3cr3t"

func TestBadTargetsDoNotShowThePassword(t *testing.T) {
	for _, raw := range []string{
		"", "http://u:s3cr3t@h", "redis://u:s3cr3t@h:port", "redis://u:s3cr3t@h:0", "redis://u:s3cr3t@h:99999",
		"redis://u:s3cr3t%zz@h", "redis://u:s3cr3t@h/x", "redis://u:s3cr3t@h/1/2", "redis://h?password=s3cr3t&nonsense=1",
		"u:s3cr3t@h:1", "redis://u:s3cr3t?@h:1", "redis://u:s3cr3t@h@i:1:2",
		"redis://h:1?db=s3cr3t", "redis://h:1?tls=s3cr3t", "redis+sentinel://h:1", "unix://u:s3cr3t@", "redis://u:s3cr3t@a:1,b:2/3",
		"redis://[::1", "u:s3cr3t@h:x", "rediss:/u:s3cr3t@h",
	} {
		_, err := ParseTarget(raw)
		if err == nil {
			t.Errorf("%q was taken", raw)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", raw, err)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(fmt.Sprintf("%+v %#v", e, e), secret) {
				t.Errorf("%q: inside: %+v", raw, e)
			}
		}
	}
}

func TestTargetPrintsWithoutPassword(t *testing.T) {
	target := Target{Addrs: []string{"h:1"}, User: "someone", Pass: secret, SentinelPass: secret, SentinelUser: "someone", Master: "m"}
	for _, printed := range []string{
		target.String(), fmt.Sprint(target), fmt.Sprintf("%v %+v %s %q %#v", target, target, target, target, target),
		fmt.Sprintf("%v %+v", &target, struct{ T Target }{target}), target.Addr(),
	} {
		if strings.Contains(printed, secret) || strings.Contains(printed, "someone") {
			t.Error(printed)
		}
	}
	if !strings.Contains(target.URL(), secret) {
		t.Error("the URL is for a child process and has to hold it")
	}
	same(t, "with another", target.WithPassword("", "x").User+target.WithPassword("", "x").Pass, "someonex")
	same(t, "with none", target.WithPassword("a", "").User+target.WithPassword("a", "").Pass, "a"+secret)
}

func TestSlot(t *testing.T) {
	// From the Cluster specification, and from CLUSTER KEYSLOT.
	for key, want := range map[string]int{
		"123456789": 12739, "": 0, "foo": 12182, "{foo}bar": 12182, "x{foo}{bar}": 12182, "{}foo": 9500, "{user1000}.following": 3443,
	} {
		same(t, key, Slot(key), want)
	}
}

func TestIDs(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1-0", "1-0", 0},
		{"1", "1-0", 0},
		{"9-0", "10-0", -1},
		{"1-9", "1-10", -1},
		{"9007199254740993-0", "9007199254740992-9", 1},
		{"18446744073709551615-0", "9223372036854775808-0", 1},
	} {
		got, valid := CompareIDs(c.a, c.b)
		same(t, c.a+" and "+c.b, got, c.want)
		same(t, "valid", valid, true)
	}
	for _, bad := range []string{"", "-", "+", "$", "x-1", "1-x", "1-2-3", "18446744073709551616-0", "-1-0"} {
		if _, valid := CompareIDs(bad, "1-0"); valid {
			t.Errorf("%q is taken for an id", bad)
		}
	}
	for id, want := range map[string]string{
		"1-0": "1-1", "1-18446744073709551615": "2-0", "18446744073709551615-18446744073709551615": "",
	} {
		if got, isThere := after(id); got != want && isThere || isThere != (want != "") {
			t.Errorf("after %s comes %s (%v), want %q", id, got, isThere, want)
		}
	}
	at, isTime := TimeOfID("1764365984740-3")
	same(t, "time of an id", at.UTC().Format("2006-01-02 15:04:05.000"), "2025-11-28 21:39:44.740")
	same(t, "it is a time", isTime, true)
	for _, id := range []string{"5-0", "18446744073709551615-0", "9007199254740993-0"} {
		if at, isTime := TimeOfID(id); isTime {
			t.Errorf("%s is taken for the time %v", id, at)
		}
	}
}
