// Package chart draws figures over time with characters: sparklines, a taller chart, the marks and labels of their
// shared time axis, and histograms.
//
// A place where nothing is known is drawn as a gap, never as a zero: a [Point] that is a gap or NaN, and a stretch of
// time with no point in it. The time before the first point is blank: nobody had begun to look. Infinite values and
// empty or reversed time ranges draw something harmless. Every line is exactly as many cells wide as it was asked to
// be; a width below 1 gives "".
package chart
