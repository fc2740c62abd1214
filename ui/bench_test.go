package ui

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/ui/cell"
)

// BenchmarkFrame draws a frame of a large terminal: it is to take less than 2 ms.
func BenchmarkFrame(b *testing.B) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x36", 120, 36}, {"200x60", 200, 60}} {
		b.Run(size.name, func(b *testing.B) {
			m := New(Options{Keys: testKeys(), Theme: cell.NewTheme(true, termenv.TrueColor), Still: true, Now: func() time.Time { return sampleNow }})
			defer m.Close()
			m.Update(tea.WindowSizeMsg{Width: size.width, Height: size.height})
			for _, u := range sampleRun(sampleNow) {
				m.Update(updateMsg{u})
			}
			b.ReportAllocs()
			for b.Loop() {
				m.fresh = false
				m.View()
			}
		})
	}
}

// BenchmarkReading takes in a reading, with all that is formatted then.
func BenchmarkReading(b *testing.B) {
	m := New(Options{Keys: testKeys(), Still: true})
	defer m.Close()
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	at := sampleNow
	for b.Loop() {
		at = at.Add(250 * time.Millisecond)
		m.Update(updateMsg{sampleUpdate(at)})
	}
}
