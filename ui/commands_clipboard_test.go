package ui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/unacked/ui/term"
)

// writes keeps what was written, counts the writes, and refuses where err is set.
type writes struct {
	text string
	n    int
	err  error
}

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	if w.err != nil {
		return 0, w.err
	}
	w.text += string(p)
	return len(p), nil
}

func TestClipboardIsOneWrite(t *testing.T) {
	var w writes
	msg := clipboardTo(&w)("XLEN s")()
	// OSC 52, the clipboard c, "XLEN s" in base64, BEL.
	if want := "\x1b]52;c;WExFTiBz\x07"; w.text != want || w.n != 1 {
		t.Errorf("wrote %q in %d writes, want %q in one", w.text, w.n, want)
	}
	if n, ok := msg.(notice); !ok || n.bad || strings.ContainsRune(n.text, 0x1b) {
		t.Errorf("answer %+v", msg)
	}
	w.err = errors.New("closed")
	if n, ok := clipboardTo(&w)("x")().(notice); !ok || !n.bad {
		t.Errorf("a failed write answers %+v", n)
	}
	before := w.n
	if n, ok := clipboardTo(&w)(strings.Repeat("x", clipboardLimit+1))().(notice); !ok || !n.bad || w.n != before {
		t.Errorf("a text that is too long answers %+v after %d writes", n, w.n-before)
	}
}

// A copy goes out between two frames while the renderer writes them, frames being far longer than a pipe takes at once.
func TestClipboardKeepsOutOfFrames(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := &term.Output{File: w}
	frame := bytes.Repeat([]byte("a line of the screen\r\n"), 10_000)
	const frames, copies = 20, 40
	var writers sync.WaitGroup
	writers.Go(func() {
		for range frames {
			if _, err := out.Write(frame); err != nil {
				t.Error(err)
			}
		}
	})
	writers.Go(func() {
		for range copies {
			clipboardTo(out)("XLEN s")()
		}
	})
	go func() {
		writers.Wait()
		w.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`(?s)\x1b\[\?2026h(?:a line of the screen\r\n)+\x1b\[\?2026l|\x1b\]52;c;WExFTiBz\x07`)
	if n := len(whole.FindAll(got, -1)); n != frames+copies {
		t.Errorf("%d whole frames and copies came out, want %d", n, frames+copies)
	}
	if rest := whole.ReplaceAll(got, nil); len(rest) > 0 {
		t.Errorf("something was torn: %.60q", rest)
	}
}
