package server

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	peers "github.com/alicebob/miniredis/v2/server"
)

// mini is the embedded server.
type mini struct {
	m    *miniredis.Miniredis
	rows *rows
	gone chan struct{}
	wg   sync.WaitGroup
	stop sync.Once
}

func startMini(port int) (*mini, error) {
	b := &mini{m: miniredis.NewMiniRedis(), gone: make(chan struct{})}
	if err := b.m.StartAddr(loopback(port)); err != nil {
		return nil, err
	}
	b.rows = newRows(b.m.Server(), b.gone)
	lengths := lengths{dispatch: b.m.Server().Dispatch}
	b.m.Server().SetPreHook(func(c *peers.Peer, cmd string, args ...string) bool {
		return b.rows.hook(c, cmd, args...) || lengths.hook(c, cmd, args...)
	})
	b.wg.Go(b.expire)
	return b, nil
}

// expire lets time pass for keys with a time to live: miniredis 2.40 does not do that by itself.
func (b *mini) expire() {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-b.gone:
			return
		case <-tick.C:
			now := time.Now()
			b.m.FastForward(now.Sub(last))
			last = now
		}
	}
}

func (b *mini) pid() int                { return 0 }
func (b *mini) exited() <-chan struct{} { return b.gone }

func (b *mini) kill() error {
	b.stop.Do(func() {
		close(b.gone)
		b.wg.Wait()
		b.m.Close()
	})
	return nil
}
