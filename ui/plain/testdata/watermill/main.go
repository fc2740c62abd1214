// Command watermill publishes and consumes messages by watermill-redisstream, as programs that know nothing of unacked
// do. Tests run it as a process and kill it. It says each thing that it did in a line of its output, and ends when its
// input ends. It is a module of its own, so that nothing else depends on watermill.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-redisstream/pkg/redisstream"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/redis/go-redis/v9"
)

// closeWithin is how long the end may take after the input ended.
const closeWithin = 3 * time.Second

type options struct {
	url, topic string

	publish  int
	uuid     string
	pace     time.Duration
	metadata string
	payload  string

	group, consumer string
	hang            bool
	work            time.Duration
	nackEvery       int
	maxIdle         time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.url, "redis", "redis://127.0.0.1:6379", "`URL` of the server")
	flag.StringVar(&o.topic, "topic", "", "the stream")
	flag.IntVar(&o.publish, "publish", 0, "publish so many messages, then end")
	flag.StringVar(&o.uuid, "uuid", "order-", "publish: what the ids of the messages begin with, before 1, 2, …")
	flag.DurationVar(&o.pace, "pace", 0, "publish: from one message to the next")
	flag.StringVar(&o.metadata, "metadata", "", "publish: `NAME=VALUE` with each message")
	flag.StringVar(&o.payload, "payload", "", "publish: the payload, as Go writes it between quotes")
	flag.StringVar(&o.group, "group", "", "consume as this group")
	flag.StringVar(&o.consumer, "consumer", "", "consume: the name in the group, empty for one by watermill")
	flag.BoolVar(&o.hang, "hang", false, "consume: the handler never returns")
	flag.DurationVar(&o.work, "work", 0, "consume: how long the handler takes")
	flag.IntVar(&o.nackEvery, "nack-every", 0, "consume: each so many messages one is refused, and taken the next time; 0 is none")
	flag.DurationVar(&o.maxIdle, "max-idle", 0, "consume: claim what is pending for so long, 0 is watermill's minute")
	flag.Parse()

	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
		time.AfterFunc(closeWithin, func() { log.Fatal("does not come to an end") })
	}()
	if err := run(ctx, o); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, o options) error {
	server, err := redis.ParseURL(o.url)
	if err != nil {
		return err
	}
	client := redis.NewClient(server)
	if o.group != "" {
		return consume(ctx, client, o)
	}
	return publish(ctx, client, o)
}

func publish(ctx context.Context, client *redis.Client, o options) error {
	payload, err := strconv.Unquote(`"` + o.payload + `"`)
	if err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	publisher, err := redisstream.NewPublisher(redisstream.PublisherConfig{Client: client}, watermill.NewStdLogger(false, false))
	if err != nil {
		return err
	}
	tick := time.NewTicker(max(o.pace, time.Nanosecond))
	defer tick.Stop()
	for i := 1; i <= o.publish; i++ {
		m := message.NewMessage(fmt.Sprint(o.uuid, i), []byte(payload))
		if name, value, ok := strings.Cut(o.metadata, "="); ok {
			m.Metadata.Set(name, value)
		}
		if err := publisher.Publish(o.topic, m); err != nil {
			return err
		}
		fmt.Println("published", m.UUID)
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("the input ended before all was published"), publisher.Close())
		case <-tick.C:
		}
	}
	return publisher.Close()
}

func consume(ctx context.Context, client *redis.Client, o options) error {
	subscriber, err := redisstream.NewSubscriber(redisstream.SubscriberConfig{
		Client: client, ConsumerGroup: o.group, Consumer: o.consumer, MaxIdleTime: o.maxIdle,
		DisableIndefiniteInitialBlock: true, // else it cannot be closed before the first message
	}, watermill.NewStdLogger(false, false))
	if err != nil {
		return err
	}
	messages, err := subscriber.Subscribe(ctx, o.topic)
	if err != nil {
		return errors.Join(err, subscriber.Close())
	}
	fmt.Println("subscribed", o.consumer)
	refused := map[string]bool{}
	n := 0
	for m := range messages {
		fmt.Println("got", m.UUID)
		if o.hang {
			<-ctx.Done()
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(o.work):
		}
		if n++; o.nackEvery > 0 && n%o.nackEvery == 0 && !refused[m.UUID] {
			refused[m.UUID] = true
			fmt.Println("refused", m.UUID)
			m.Nack()
			continue
		}
		fmt.Println("done", m.UUID)
		m.Ack()
	}
	return subscriber.Close()
}
