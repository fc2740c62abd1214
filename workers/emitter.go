package workers

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"
)

// emitter writes events, each as one JSON object and newline in a single write. A slow reader slows the worker down;
// one that is gone ends it.
type emitter struct {
	worker string
	pid    int
	failed func(error) // called when a write fails

	mu  sync.Mutex
	out io.Writer // nil is none
	buf bytes.Buffer
	enc *json.Encoder
}

func newEmitter(out io.Writer, worker string, failed func(error)) *emitter {
	e := &emitter{worker: worker, pid: os.Getpid(), failed: failed, out: out}
	e.enc = json.NewEncoder(&e.buf)
	e.enc.SetEscapeHTML(false)
	return e
}

func (e *emitter) say(ev Event) {
	if e.out == nil {
		return
	}
	ev.At, ev.Worker, ev.PID = time.Now(), e.worker, e.pid
	ev.Reason = clip(ev.Reason)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buf.Reset()
	err := e.enc.Encode(ev)
	if err == nil {
		_, err = e.out.Write(e.buf.Bytes())
	}
	if err != nil {
		e.failed(err)
	}
}
