package redisq

import "context"

// Progress is how far a plan is that runs.
type Progress struct {
	ID                             string // what was finished last
	Done, Skipped, Failed, Unknown int
	Total                          int   // to be done, as the plan counted them; 0 is not known
	Looked, Of                     int64 // entries looked at for those that are meant, and how many there were; 0, 0 where none are
}

// Looked is how far a plan is that is being made: it looks for what it is about.
type Looked struct {
	Looked, Of int64 // entries or letters looked at, and how many there are; an Of of 0 is not known
	Found      int   // of those looked at: what the plan is about
}

type (
	progressKey struct{}
	lookingKey  struct{}
)

// WithProgress has plans that run under ctx tell how far they are, after each message or some of them. f is called by
// the goroutine that runs the plan.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// WithLooking has plans that are made under ctx look at all there is, however much, in pages with pauses between them,
// and tell how far they are. f is called by the goroutine that makes the plan; when it returns false the looking ends,
// and the plan is about at least what was found. Without it a plan looks at some thousands.
func WithLooking(ctx context.Context, f func(Looked) bool) context.Context {
	return context.WithValue(ctx, lookingKey{}, f)
}

// tell tells how far a run is that came to this outcome so far.
func (o *Outcome) tell(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		p.Done, p.Skipped, p.Failed, p.Unknown = o.Done, len(o.Skipped), len(o.Failed), o.Unknown
		f(p)
	}
}

// looker is who is told of the looking of a plan, and says whether it goes on; bounded says that nobody is, so that the
// looking has to end by itself.
func looker(ctx context.Context) (tell func(Looked) bool, bounded bool) {
	if f, ok := ctx.Value(lookingKey{}).(func(Looked) bool); ok {
		return f, false
	}
	return func(Looked) bool { return true }, true
}
