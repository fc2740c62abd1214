package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/ui"
)

// commandEnv has the test binary run a command line, a word a line, instead of the tests.
const commandEnv = "UNACKED_TEST_COMMAND"

func TestMain(m *testing.M) {
	if line, ok := os.LookupEnv(commandEnv); ok {
		os.Exit(Run("test", ui.KeyMap{}, strings.Split(line, "\n")))
	}
	redistest.Main(m)
}

// started is a command as a process of its own.
type started struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func start(t *testing.T, environment string, args ...string) *started {
	t.Helper()
	s := &started{Cmd: exec.Command(os.Args[0])}
	s.Env = append(os.Environ(), commandEnv+"="+strings.Join(args, "\n"), "REDIS_URL="+environment, "REDISCLI_AUTH=")
	s.Stdout, s.Stderr = &s.out, &s.err
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	return s
}

// code waits for the end.
func (s *started) code() int {
	_ = s.Wait() // the code tells
	return s.ProcessState.ExitCode()
}

// letters are n dead letters of stream, by another tool.
func letters(t *testing.T, s redistest.Server, stream string, n int) *redisq.Client {
	t.Helper()
	target, err := redisq.ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := redisq.Connect(target, redisq.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for i := range n {
		if _, err := c.Do(t.Context(), "XADD", redisq.DeadLetterKey(stream), "*", "to", fmt.Sprintf("u%d", i), "error", "550"); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func length(t *testing.T, c *redisq.Client, stream string) int64 {
	t.Helper()
	n, err := c.Do(t.Context(), "XLEN", stream)
	if err != nil {
		t.Fatal(err)
	}
	return n.(int64)
}

func TestReplayCommand(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		stream := s.Key(t, "q")
		c := letters(t, s, stream, 4)
		run := func(wantCode int, environment string, args ...string) (string, string) {
			t.Helper()
			p := start(t, environment, append([]string{"replay"}, args...)...)
			if got := p.code(); got != wantCode {
				t.Errorf("%q: exit code %d, want %d\n%s%s", args, got, wantCode, &p.out, &p.err)
			}
			return p.out.String(), p.err.String()
		}
		out, _ := run(0, "", s.URL, stream, "--dry-run")
		if !strings.HasSuffix(out, "would replay 4 of 4 chosen\n") || length(t, c, redisq.DeadLetterKey(stream)) != 4 {
			t.Errorf("dry run:\n%s", out)
		}
		out, _ = run(0, s.URL, stream, "--match", "to=u[13]", "--metadata-fields", "error", "--json")
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		for name, want := range map[string]string{
			"schema": "unacked.replay/1", "dry_run": "false", "matched": "2", "replayed": "2", "unknown": "0", "skipped": "[]", "failed": "[]",
		} {
			if fmt.Sprint(got[name]) != want {
				t.Errorf("%s is %v, want %s", name, got[name], want)
			}
		}
		out, _ = run(0, "", "--redis", s.URL, "--stream", stream, "--limit", "1", "--keep")
		if !strings.HasSuffix(out, "\nreplayed 1\n") {
			t.Errorf("said %q", out)
		}
		if in, left := length(t, c, stream), length(t, c, redisq.DeadLetterKey(stream)); in != 3 || left != 2 {
			t.Errorf("%d entries and %d letters, want 3 and 2", in, left)
		}
		for _, wrong := range [][]string{
			{},
			{s.URL},
			{s.URL, stream, "more"},
			{s.URL, stream, "--match", "nothing"},
			{s.URL, stream, "--limit", "-1"},
			{s.URL, stream, "--id", "x"},
			{s.URL, stream, "--to", redisq.DeadLetterKey(stream)},
			{s.URL, stream, "--group", "g", "--to", "p"},
			{s.URL, stream, "--consumer", "w"},
			{"ftp://user:secret@x", stream},
		} {
			if _, said := run(2, "", wrong...); strings.Contains(said, "secret") || strings.Count(said, "\n") != 1 {
				t.Errorf("%q: said %q", wrong, said)
			}
		}
		if _, said := run(1, "", s.URL, stream, "--group", "g"); !strings.Contains(said, "it has no group g") {
			t.Errorf("said %q", said)
		}
		if _, err := c.Do(t.Context(), "SET", stream+":text", "x"); err != nil {
			t.Fatal(err)
		}
		if _, said := run(1, "", s.URL, stream, "--dead-letter", stream+":text"); !strings.Contains(said, "WRONGTYPE") {
			t.Errorf("said %q", said)
		}
	})
}

func TestInterruptedReplay(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		stream := s.Key(t, "q")
		c := letters(t, s, stream, 40)
		p := start(t, "", "replay", s.URL, stream, "--rate", "4") // ten seconds in all
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for length(t, c, stream) < 2 {
			select {
			case <-tick.C:
			case <-t.Context().Done():
				t.Fatal("it does not begin")
			}
		}
		if err := p.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if code := p.code(); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		done, left := length(t, c, stream), length(t, c, redisq.DeadLetterKey(stream))
		if done+left != 40 || done == 40 {
			t.Errorf("%d replayed and %d left, of 40", done, left)
		}
		if want := fmt.Sprintf("stopped: replayed %d of 40\n", done); !strings.HasSuffix(p.out.String(), want) {
			t.Errorf("said %q, want it to end with %q", p.out.String(), want)
		}
	})
}
