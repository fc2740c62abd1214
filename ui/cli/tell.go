package cli

import (
	"context"
	"io"
	"os/signal"
	"syscall"
	"time"

	"example.com/unacked/redisq/watch"
	"example.com/unacked/ui"
	"example.com/unacked/workers/lab"
)

// tellLab runs the lab without a screen until a signal comes, and writes a line whenever something changes.
func tellLab(ctx context.Context, o lab.Options, w io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if o.Target != nil {
		if err := reach(ctx, *o.Target); err != nil {
			return err
		}
	}
	l, err := lab.Start(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil // the person did not wait for it
		}
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		if failed := l.Close(closing); err == nil {
			err = failed
		}
	}()
	t := ui.NewTeller(ui.Options{Lab: l, Interval: o.Interval}, w)
	defer t.Close()
	if warning := l.Warning(); warning != "" {
		if err := t.Say(time.Now(), warning); err != nil {
			return err
		}
	}
	if err := follow(ctx, l.Updates(), t.Lab, t); err != nil {
		return err
	}
	return t.Say(time.Now(), "ended: the workers, the server and the keys of the lab are taken down")
}

// tellWatch watches a server without a screen until a signal comes.
func tellWatch(ctx context.Context, o watch.Options, w io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := watch.Check(ctx, o); err != nil {
		return err
	}
	watcher, err := watch.New(o)
	if err != nil {
		return err
	}
	screen := ui.WatchOptions{Watcher: watcher, Address: o.Target.Addr(), Thresholds: o.Thresholds}
	if o.Stream != "" && o.Group != "" {
		screen.Chosen = watch.Choice{Stream: o.Stream, Group: o.Group}
	}
	t := ui.NewTeller(ui.Options{Watch: &screen, Interval: o.Interval}, w)
	defer t.Close()
	watcher.Start()
	defer func() {
		if failed := watcher.Close(); err == nil {
			err = failed
		}
	}()
	return follow(ctx, watcher.Updates(), t.Watch, t)
}

// follow tells updates until ctx or they end. The error is that of the writer, as of a pipe that was closed.
func follow[T any](ctx context.Context, updates <-chan T, tell func(T) error, t *ui.Teller) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case u, ok := <-updates:
			if !ok {
				return nil
			}
			err = tell(u)
		case now := <-tick.C:
			err = t.Tick(now)
		}
		if err != nil {
			return err
		}
	}
}
