// Package doctor says what is wrong with streams and their consumer groups, with the evidence and the commands that
// mend it.
//
// [Diagnose] is a pure function of readings: it has no clock and sends nothing. [Examine] takes the readings, with
// commands that only read and whose cost does not grow with the number of pending entries. Nothing here changes
// anything on a server: a remedy is a command for a person to look at and send.
package doctor
