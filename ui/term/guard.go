package term

import (
	"fmt"
	"reflect"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
	xterm "golang.org/x/term"
)

// PanicError is the error of a run that a panic ended. Its trace was printed when the terminal was whole again.
type PanicError struct {
	Value any
	Where string // "the model", "a command", "a goroutine"
	Stack []byte
}

// Error is one line; the trace is in Stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic in %s: %v", e.Where, e.Value) }

// guarded is a model whose panics, and those of its commands, end the program through p instead of printing a trace
// into the alternate screen, which is what Bubble Tea does with them.
type guarded struct {
	tea.Model
	p *Program
}

func (g guarded) Init() (cmd tea.Cmd) {
	defer g.p.recovered("the model")
	return g.p.command(g.Model.Init())
}

func (g guarded) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g // stays when Update panics
	defer g.p.recovered("the model")
	if _, ok := msg.(mouseAgainMsg); ok {
		return g, tea.EnableMouseCellMotion
	}
	model := g.Model
	var cmds []tea.Cmd
	for _, msg := range single(msg) {
		model, cmd = model.Update(msg)
		cmds = append(cmds, g.p.command(cmd))
	}
	return guarded{model, g.p}, tea.Batch(cmds...)
}

// single returns a message as it is, but keys that were typed faster than they were read one by one: Bubble Tea makes
// one message of them, which is bound to nothing. A paste stays whole.
func single(msg tea.Msg) []tea.Msg {
	k, ok := msg.(tea.KeyMsg)
	if !ok || k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return []tea.Msg{msg}
	}
	keys := make([]tea.Msg, len(k.Runes))
	for i, r := range k.Runes {
		keys[i] = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}
	}
	return keys
}

func (g guarded) View() (view string) {
	defer g.p.recovered("the model")
	if g.p.ours.Load() == nil {
		modes, _ := xterm.GetState(int(g.p.opts.In.Fd()))
		g.p.ours.Store(modes)
	}
	return g.Model.View()
}

// command returns cmd with its panics caught, those of the commands inside a batch or sequence too.
func (p *Program) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer p.recovered("a command")
		msg = cmd()
		// The message of tea.Sequence has a type that is not exported; like tea.BatchMsg it is a slice of commands.
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
			for i := range v.Len() {
				if inner, _ := v.Index(i).Interface().(tea.Cmd); inner != nil {
					v.Index(i).Set(reflect.ValueOf(p.command(inner)))
				}
			}
		}
		return msg
	}
}

// recovered is to be deferred: it takes a panic, remembers the first one, and has the program end.
func (p *Program) recovered(where string) {
	if v := recover(); v != nil {
		p.fail(&PanicError{Value: v, Where: where, Stack: debug.Stack()})
	}
}

func (p *Program) fail(e *PanicError) {
	p.panicked.CompareAndSwap(nil, e)
	p.tea.Kill()
}

// Go runs f in a goroutine of its own. A panic in it ends the program, with the terminal restored; without this
// wrapper it would leave the terminal raw, in the alternate screen. After the program's end f goes on: whoever
// started it stops it.
func (p *Program) Go(f func()) {
	go func() {
		defer p.recovered("a goroutine")
		f()
	}()
}
