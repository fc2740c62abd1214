package experiment

import (
	"time"

	"example.com/unacked/workers/lab"
)

// poisoned is the order whose address no mail server will ever take.
const poisoned = "4"

func limit(n int64) func(*lab.Decisions) {
	return func(d *lab.Decisions) { d.Worker.MaxDeliveries = n }
}

func shortLease(d *lab.Decisions) { d.Worker.Lease = 600 * time.Millisecond }

func poisonExperiments() []Experiment {
	others := Figure{Name: "other orders mailed", Unit: "orders", Want: exactly(9), Rests: OnSink, of: mailedOrders}
	return []Experiment{
		{
			Name:  "poison",
			Title: "One bad address among ten, no limit, 12 s",
			Teaches: "A message that can never succeed comes back for ever: the queue repeats what fails, and a bad address " +
				"is not mended by trying again.",
			Decision: "How often is a message tried before it is somebody's problem?",
			Setup:    setup(2, shortLease), Takes: 13 * time.Second,
			Steps: []Step{
				{
					Say:  "Two workers, a lease of {600ms}, no limit. Ten customers order; the 4th has a bad address.",
					Look: "The mail server says 550; the message stays pending and is due again after its lease.",
					do:   place(10, 4),
				},
				{
					Say:  "{12s} pass.",
					Look: "The nine others are long done. Order 4 is delivered again and again, and will be for ever.",
					do:   watch(12 * time.Second),
				},
			},
			Figures: []Figure{
				{
					Name: "deliveries of order 4", Unit: "deliveries", Rests: OnClock, of: deliveries(poisoned),
					Want: within("20", 18, 22).small(6, 22),
				},
				{Name: "still pending", Unit: "messages", Want: exactly(1), of: pending},
				others,
			},
		},
		{
			Name:  "dead-letter",
			Title: "The same with a limit of 5 deliveries",
			Teaches: "Redis counts deliveries. A worker that looks at the count can move a message out of the way, with " +
				"the reason, for a person to read.",
			Decision: "Who looks at the dead letters, and what may they do with them?",
			Setup:    setup(2, shortLease, limit(5)), Takes: 5 * time.Second,
			Steps: []Step{
				{
					Say:  "Two workers, a lease of {600ms}, a limit of 5. Ten customers order; the 4th has a bad address.",
					Look: "The mail server says 550; the message stays pending and is due again after its lease.",
					do:   place(10, 4),
				},
				{
					Say:  "The fifth delivery fails as the others did, and is the last one.",
					Look: "The message is a dead letter now, with its reason and its id. Nothing is pending.",
					do:   settle(),
				},
			},
			Figures: []Figure{
				{Name: "deliveries of order 4", Unit: "deliveries", Want: exactly(5), of: deliveries(poisoned)},
				{Name: "dead letters", Unit: "messages", Want: exactly(1), of: deadLetters},
				{Name: "… with reason and id", Unit: "messages", Want: exactly(1), of: explained},
				{Name: "still pending", Unit: "messages", Want: exactly(0), of: pending},
				others,
			},
		},
	}
}
