package experiment

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// victim is the order that a worker holds when it is killed.
const victim = "4"

// crash are the steps of all experiments in which one worker dies: it is killed at a point of order 4 of ten, people
// look, and another one does the rest.
func crash(at workers.CrashPoint, where, look, after string) []Step {
	return []Step{
		{Say: "One worker. It will be killed at order 4, " + where + ".", do: arm(at, victim)},
		{Say: "Ten customers order; the worker sends mails until it is killed with order 4 in hand.", Look: look, do: both(place(10), killed())},
		{Say: "A new worker starts and does the rest.", Look: after, do: both(hire(), settle())},
	}
}

// oneWorker has a lease of 1 s, so that the message of the dead one comes back soon.
func oneWorker(decide ...func(*lab.Decisions)) lab.Decisions {
	return setup(1, append(decide, func(d *lab.Decisions) { d.Worker.Lease = time.Second })...)
}

func list(d *lab.Decisions) { d.Worker.Kind = redisq.List }

func record(when workers.Idempotence) func(*lab.Decisions) {
	return func(d *lab.Decisions) { d.Worker.Idempotent = when }
}

const crashTakes = 4500 * time.Millisecond

func crashExperiments() []Experiment {
	arrived := func(n float64) Figure {
		return Figure{Name: "mails for ten orders", Unit: "mails", Want: exactly(n), Rests: OnSink, of: mails}
	}
	mailedTwice := func(names ...string) Figure {
		return Figure{Name: "mailed twice", Unit: "orders", Want: orders(names...), Rests: OnSink, of: twice}
	}
	neverMailed := func(names ...string) Figure {
		return Figure{Name: "lost", Unit: "orders", Want: orders(names...), Rests: OnSink, of: lost}
	}
	delivered := Figure{Name: "deliveries of order 4", Unit: "deliveries", Want: exactly(2), of: deliveries(victim)}
	skippedOnce := Figure{Name: "order 4 skipped as done", Unit: "times", Want: exactly(1), of: skipped(victim)}
	left := Figure{Name: "pending after the kill", Unit: "messages", Want: exactly(1), of: pendingAfterKill}
	unacked := Figure{Name: "pending at the end", Unit: "messages", Want: exactly(0), of: pending}

	return []Experiment{
		{
			Name:  "list-crash",
			Title: "A list (push / pop); killed holding the 4th, not yet sent",
			Teaches: "A pop takes the message out of Redis before anything is done with it. If the worker dies, the " +
				"message dies with it, and nobody can tell that there was one.",
			Decision: "May a message be lost when a worker dies? A list says yes.",
			Setup:    oneWorker(list), Takes: crashTakes,
			Steps: crash(workers.CrashBeforeWork, "before it sends",
				"Six messages are in the list. Order 4 is nowhere in Redis: the pop took it out.",
				"Nine mails for ten orders. No error, no trace: only the checkout's own book names order 4."),
			Figures: []Figure{
				arrived(9), neverMailed(victim),
				{Name: "places in Redis with order 4", Unit: "places", Want: exactly(0), of: known(victim)},
			},
		},
		{
			Name:  "stream-crash-before",
			Title: "Stream and group; killed before it sends the 4th",
			Teaches: "A stream with a group keeps a message until somebody acks it. A dead worker's message stays pending " +
				"and is claimed by another one when its lease is over.",
			Decision: "How long may a message lie with a dead worker before another one takes it? That is the lease.",
			Setup:    oneWorker(), Takes: crashTakes,
			Steps: crash(workers.CrashBeforeWork, "before it sends",
				"One message is pending, with a worker that is dead: delivered once, never acked.",
				"Order 4 was claimed after its lease: ten mails for ten orders, none twice."),
			Figures: []Figure{left, arrived(10), mailedTwice(), neverMailed(), unacked},
		},
		{
			Name:  "stream-crash-after",
			Title: "Stream and group; killed after sending the 4th, not acked",
			Teaches: "The same pending entry, but the work was done. Redis cannot see the difference: it knows only that " +
				"nobody has said done. So the mail goes out twice. At least once means this.",
			Decision: "What happens to your customer when the work is done twice?",
			Setup:    oneWorker(), Takes: crashTakes,
			Steps: crash(workers.CrashAfterWork, "after it has sent and before it acks",
				"One message is pending, as before. Its mail is out, and Redis cannot know.",
				"Order 4 was claimed and sent again: eleven mails for ten orders."),
			Figures: []Figure{left, arrived(11), mailedTwice(victim), neverMailed(), unacked},
		},
		{
			Name:  "idempotent",
			Title: "The same, the consumer records the order before it sends",
			Teaches: "A second delivery is no harm to a consumer that knows what it did. It finds its record, sends " +
				"nothing, and acks.",
			Decision: "By what does your consumer know that it has done this message before?",
			Setup:    oneWorker(record(workers.RecordBefore)), Takes: crashTakes,
			Steps: crash(workers.CrashAfterWork, "after it has recorded and sent, before it acks",
				"One message is pending. Its record is in Redis, and its mail is out.",
				"Order 4 was delivered a second time and skipped because of its record: ten mails."),
			Figures: []Figure{left, delivered, skippedOnce, arrived(10), mailedTwice(), neverMailed(), unacked},
		},
		{
			Name:  "idempotent-gap",
			Title: "The same consumer, killed between the record and the send",
			Teaches: "Record and send are two steps, and a crash fits between them. The record says done and nothing was " +
				"done, so the second delivery is skipped and the mail is lost.",
			Decision: "Can the record and the work be made one step? If not, which of the two comes first?",
			Setup:    oneWorker(record(workers.RecordBefore)), Takes: crashTakes,
			Steps: crash(workers.CrashAfterRecord, "after it has recorded and before it sends",
				"One message is pending. Its record is in Redis, and no mail is out.",
				"Order 4 was delivered again, skipped and acked: nine mails, and the queue is content."),
			Figures: []Figure{left, delivered, skippedOnce, arrived(9), mailedTwice(), neverMailed(victim), unacked},
		},
		{
			Name:  "idempotent-done",
			Title: "The record is written after the send; killed in between",
			Teaches: "Turning the two steps round moves the gap and does not close it: now a crash in it sends twice " +
				"instead of never.",
			Decision: "Rather twice or rather never? One of them is what you have chosen.",
			Setup:    oneWorker(record(workers.RecordAfter)), Takes: crashTakes,
			Steps: crash(workers.CrashAfterWork, "after it has sent and before it records",
				"One message is pending. Its mail is out, and no record says so.",
				"Order 4 was sent again: eleven mails. The gap has moved."),
			Figures: []Figure{left, arrived(11), mailedTwice(victim), neverMailed(), unacked},
		},
	}
}
