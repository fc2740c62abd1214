package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The book has each line once, with its time, made harmless, in the file and for the view; the view has the last ones.
func TestLogbook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("of an earlier run\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	book, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	book.now = func() time.Time { return time.Date(2025, 11, 28, 3, 4, 5, 67e6, time.UTC) }
	for _, text := range []string{"plain\n", "no end", "\n\r\n", "two\r\nlines\n", "\x1b[2J\x1b]52;c;aGk=\x07\u009b31m\xff\u202e\x00\n"} {
		if n, err := io.WriteString(book, text); n != len(text) || err != nil {
			t.Errorf("writing %q: %d, %v", text, n, err)
		}
	}
	const at = "2025-11-28 03:04:05.067 "
	want := []string{at + "plain", at + "no end", at + "two", at + "lines"}
	got := book.Last()
	if len(got) != len(want)+1 {
		t.Fatalf("%d lines %q, want %q and the hostile one", len(got), got, want)
	}
	for i, line := range got {
		if i < len(want) && line != want[i] {
			t.Errorf("line %d is %q, want %q", i, line, want[i])
		}
		for _, r := range line {
			if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || r == 0x202e || r == 0xfffd {
				t.Errorf("line %d has %U: %q", i, r, line)
			}
		}
	}
	for i := range 2 * logLines {
		fmt.Fprintln(book, "line", i)
	}
	last := book.Last()
	if len(last) != logLines || !strings.HasSuffix(last[logLines-1], fmt.Sprint("line ", 2*logLines-1)) {
		t.Errorf("%d lines are kept, the last is %q", len(last), last[len(last)-1])
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(file); !strings.HasPrefix(text, "of an earlier run\n"+want[0]+"\n") || strings.Count(text, "\n") != 1+len(got)+2*logLines {
		t.Errorf("the file has %d lines and begins %q", strings.Count(text, "\n"), text[:60])
	}
}

func TestLogThatCannotBeOpened(t *testing.T) {
	if _, err := openLog(filepath.Join(t.TempDir(), "no", "log")); err == nil || !strings.HasPrefix(err.Error(), "--log: open ") {
		t.Errorf("%v, should say that --log cannot be opened", err)
	}
}
