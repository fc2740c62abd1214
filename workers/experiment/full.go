package experiment

import (
	"time"

	"example.com/unacked/workers/lab"
)

// The load of the experiments on a full queue: 50 orders a second for 10 s, and one worker does 3.3 mails a second.
const (
	perSecond = 50
	loadTakes = 10 * time.Second
	full      = 100 // entries at which the queue is full
)

// floor is the scale of 167 orders a second. More of them are too much for twenty workers that share two cores, and for
// the embedded server when it has to count the backlog for each.
const floor = 0.3

func whenFull(do lab.Full) func(*lab.Decisions) {
	return func(d *lab.Decisions) { d.Full, d.Limit = do, full }
}

// rush is the one step of these experiments.
func rush(workers, look string) []Step {
	return []Step{{
		Say: workers + ". Orders come at {50/s} for {10s}; one worker does {3.3/s}.", Look: look, do: load(perSecond, loadTakes),
	}}
}

func fullExperiments() []Experiment {
	quick := Figure{Name: "checkout, median", Unit: "ms", Want: under(1), Rests: OnServer, of: checkoutMedian}
	noneLost := Figure{Name: "lost", Unit: "orders", Want: orders(), Rests: OnSink, of: lost}
	bounded := Figure{Name: "largest backlog seen", Unit: "messages", Want: atMost(full, ""), of: mostBacklog}
	all := Figure{Name: "customers told ok", Unit: "orders", Want: exactly(perSecond * 10), of: answeredOK}
	const takes = loadTakes + 1500*time.Millisecond

	return []Experiment{
		{
			Name:  "overload",
			Title: "50 orders/s, 1 worker, 10 s",
			Teaches: "A queue takes what the workers cannot do, and tells nobody. The checkout stays quick while the mail " +
				"is further and further behind.",
			Decision: "Who watches the backlog, and what may be done when it grows?",
			Setup:    setup(1), Takes: takes,
			Steps: rush("One worker", "Hundreds wait, one is in hand, and every customer was answered at once."),
			Figures: []Figure{
				all,
				{Name: "waiting at the end", Unit: "messages", Want: within("466", 455, 475).small(455, 498), Rests: OnService, of: waiting},
				{Name: "in hand", Unit: "messages", Want: atMost(1, "1"), of: pending},
				{Name: "orders mailed", Unit: "orders", Want: within("33", 24, 44).small(1, 44), Rests: OnSink | OnService, of: mailedOrders},
				quick,
			},
		},
		{
			Name:  "scale-out",
			Title: "The same with 20 workers",
			Teaches: "As many messages are in hand as come in while one is done: 50 a second times 0.3 s is 15. With more " +
				"workers than that nothing waits.",
			Decision: "How many workers does your load need, and what do they all lean on?",
			Setup:    setup(20), Takes: takes + time.Second, Floor: floor,
			Steps: rush("Twenty workers", "Nothing waits; about fifteen are in hand at any time."),
			Figures: []Figure{
				all,
				{Name: "waiting at the end", Unit: "messages", Want: atMost(5, "0"), Rests: OnService, of: waiting},
				{
					Name: "most waiting after 1 s", Unit: "messages", Want: atMost(20, "0"), Rests: OnService,
					of: mostWaiting(time.Second),
				},
				{
					Name: "in hand, mean after 1 s", Unit: "messages", Want: within("about 15", 13, 18).small(13, 20), Rests: OnService,
					of: meanInHand(time.Second),
				},
			},
		},
		{
			Name:  "cap",
			Title: "The same with 1 worker, the stream capped at 100",
			Teaches: "A cap bounds the memory by throwing the oldest away, read or not. Each of those customers was " +
				"told ok.",
			Decision: "Which messages may be thrown away, and who is told?",
			Setup:    setup(1, whenFull(lab.Cap)), Takes: takes,
			Steps: rush("One worker, and the stream keeps its last 100 entries", "At most 100 wait. The others are gone without a mail."),
			Figures: []Figure{
				all,
				{Name: "waiting at the end", Unit: "messages", Want: atMost(full, ""), of: waiting},
				{Name: "orders never mailed", Unit: "orders", Want: within("", 340, 380).small(340, 400), Rests: OnSink | OnService, of: dropped},
				quick,
			},
		},
		{
			Name:  "backpressure-wait",
			Title: "At a backlog of 100 a checkout waits for room",
			Teaches: "When the queue is full the customer waits for the worker again, as without a queue. Nothing is lost, " +
				"and the queue hides nothing any more.",
			Decision: "How long may a customer wait before no is the better answer?",
			Setup:    setup(1, whenFull(lab.Wait)), Takes: takes, Floor: floor,
			Steps: rush("One worker, and a limit of 100", "The backlog stays at 100. Each further customer waits for a mail to be done."),
			Figures: []Figure{
				bounded, noneLost,
				{
					Name: "those that waited, median", Unit: "ms", Want: atLeastMail(), Rests: OnService, of: waitedMedian,
				},
			},
		},
		{
			Name:     "backpressure-refuse",
			Title:    "At a backlog of 100 a checkout is refused",
			Teaches:  "A refusal is an honest answer, and it comes at once. What was accepted is kept.",
			Decision: "What does the customer see when the answer is: not now?",
			Setup:    setup(1, whenFull(lab.Refuse)), Takes: takes, Floor: floor,
			Steps: rush("One worker, and a limit of 100", "The backlog stays at 100. Every further customer is refused at once."),
			Figures: []Figure{
				bounded, noneLost,
				{Name: "accepted and nowhere", Unit: "orders", Want: exactly(0), Rests: OnSink, of: unaccounted},
				{Name: "refusals, median", Unit: "ms", Want: under(20), Rests: OnServer, of: refusedMedian},
			},
		},
	}
}
