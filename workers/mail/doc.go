// Package mail is the demonstration's mail server: it takes mail over SMTP on loopback, as long as it is told a mail
// takes, and counts what arrived for each order. It delivers nothing.
//
// It is the witness: whether ten orders made ten mails or eleven is its word, not that of the workers that sent them.
package mail
