package experiment

import (
	"time"

	"example.com/unacked/workers/lab"
)

// service is how long a mail takes at full scale.
const service = 300 * time.Millisecond

// setup is the queue of an experiment: a stream, a lease of 5 s, no limit of deliveries, a mail of 300 ms, nothing full.
func setup(workers int, decide ...func(*lab.Decisions)) lab.Decisions {
	d := lab.Defaults()
	d.Rate, d.BadShare, d.Workers, d.Service = 0, 0, workers, service
	d.Worker.MaxDeliveries = 0
	for _, f := range decide {
		f(&d)
	}
	return d
}

// mailTime is what a whole mail takes, in ms: its 300, less the roughness of a clock, and what this machine adds.
func mailTime() Want { return after("about 300", 300, 290, 340) }

func checkoutExperiments() []Experiment {
	return []Experiment{
		{
			Name:  "sync",
			Title: "The checkout sends the mail itself, no queue",
			Teaches: "Without a queue every customer waits for the mail server, and an order whose mail fails has an error " +
				"to show for it.",
			Decision: "Must this be done before the customer is answered, or may it happen later?",
			Setup:    setup(0), Direct: true, Takes: 4 * time.Second,
			Steps: []Step{{
				Say:  "Ten customers order, one after the other; the checkout sends each mail itself, which takes {300ms}.",
				Look: "Each customer has waited for a whole mail. What was answered ok is really done.",
				do:   place(10),
			}},
			Figures: []Figure{
				{Name: "checkout, median", Unit: "ms", Want: mailTime(), Rests: OnService, of: checkoutMedian},
				{Name: "customers told ok", Unit: "orders", Want: exactly(10), of: answeredOK},
				{Name: "mails that arrived", Unit: "mails", Want: exactly(10), Rests: OnSink, of: mails},
			},
		},
		{
			Name:     "queued",
			Title:    "The checkout adds to the queue; no worker runs",
			Teaches:  "The answer ok now means that the order was written down, and nothing else.",
			Decision: "What do you promise when you answer ok: that it is done, or that it is noted?",
			Setup:    setup(0), Takes: time.Second,
			Steps: []Step{{
				Say:  "Ten customers order; the checkout adds each order to the queue and answers ok. There is no worker.",
				Look: "Ten times ok, ten messages waiting, no mail: nothing in the answer tells the customer.",
				do:   place(10),
			}},
			Figures: []Figure{
				{Name: "checkout, median", Unit: "ms", Want: under(1), Rests: OnClock, of: checkoutMedian},
				{Name: "customers told ok", Unit: "orders", Want: exactly(10), of: answeredOK},
				{Name: "messages waiting", Unit: "messages", Want: exactly(10), of: waiting},
				{Name: "mails that arrived", Unit: "mails", Want: exactly(0), Rests: OnSink, of: mails},
			},
		},
		{
			Name:  "timeline",
			Title: "One message on its way: added, taken, sent, acked",
			Teaches: "Between sent and acked is a moment in which the work is done and the queue does not know it. It is " +
				"short, and it never goes away.",
			Decision: "What may happen if the worker dies between the work and the ack?",
			Setup:    setup(1), Takes: time.Second,
			Steps: []Step{
				{
					Say:  "One customer orders while one worker waits for work.",
					Look: "Four times by one clock, this machine's: added, taken, sent, acked. The customer waited for the first.",
					do:   both(place(1), settle()),
				},
			},
			Figures: []Figure{
				{Name: "added, customer told ok", Unit: "ms", Want: under(20).called("about 0"), Rests: OnClock, of: at(added)},
				{Name: "taken by the worker", Unit: "ms", Want: under(20), Rests: OnClock, of: at(taken)},
				{Name: "sent, the sink has the mail", Unit: "ms", Want: after("about 304", 300, 300, 340), Rests: OnSink | OnClock, of: at(sent)},
				{Name: "acked", Unit: "ms", Want: after("about 305", 300, 300, 350), Rests: OnService | OnClock, of: at(acked)},
				{Name: "acked, after it was sent", Unit: "ms", Want: under(10), Rests: OnSink | OnClock, of: between(sent, acked)},
			},
		},
	}
}
