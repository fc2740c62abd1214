package workers

import (
	"context"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// A worker whose server dies says so, waits, and goes on by itself when it is back; a server that comes back empty, or
// is emptied, gets its group again and loses nothing that comes after.
func TestServerRestartsUnderARunningWorker(t *testing.T) {
	server := redistest.Private(t)
	r := newRig(t, server.URL(), "emails")
	r.run("w1", quick(), Noop(0))
	r.orders(1, 3)
	r.await("three done", func() bool { return r.count(EventAcked) == 3 })
	created := r.count(EventGroupCreated)

	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	r.await("the worker backs off", func() bool { return r.count(EventBackingOff) >= 2 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := server.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	r.await("the group is there again", func() bool { return r.count(EventGroupCreated) > created })
	r.orders(4, 6)
	r.await("all done", func() bool { return r.count(EventAcked) == 6 })

	created = r.count(EventGroupCreated)
	if err := r.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	// The producer is first: its XADD makes the stream again, without the group.
	r.orders(7, 9)
	r.await("all done after a flush", func() bool { return r.count(EventAcked) == 9 })
	if n := r.count(EventGroupCreated); n != created+1 {
		t.Errorf("the group was created %d times after the flush, want once", n-created)
	}
	if n := r.count(EventDelivered); n != 9 {
		t.Errorf("%d deliveries of 9 orders", n)
	}
}

// A message that was done while the server is away is acked when it is back, and not done again.
func TestAckWaitsForTheServer(t *testing.T) {
	server := redistest.Private(t)
	if server.PID() == 0 {
		// The embedded server keeps nothing over a restart and cannot be suspended: the fake's tests cover it.
		t.Log("no real server here")
		return
	}
	r := newRig(t, server.URL(), "emails")
	suspend, resume := signals(t, server.PID())
	added := make(chan struct{})
	s := quick()
	s.Lease = 20 * time.Second
	r.run("w1", s, handlerFunc(func(context.Context, Message) error {
		<-added
		suspend()
		return nil
	}))
	r.orders(1, 1)
	close(added)
	r.await("the worker backs off with the message in hand", func() bool { return r.count(EventBackingOff) > 0 })
	resume()
	r.await("acked", func() bool { return r.count(EventAcked) == 1 && r.handled() })
	if n := r.count(EventWorking); n != 1 {
		t.Errorf("done %d times, want once", n)
	}
}
