// Package watch looks at a server that others use: it finds the streams and their groups, reads the chosen group again
// and again, tells the stories of its messages from successive readings, and says every few seconds what is wrong.
//
// It only reads, through a client that refuses every command that may change something, so that nothing on the server
// can tell that somebody watches, but for the connections and the time that the readings take. What a person has it do
// goes through another client, which is there only where [Options.Write] allows it.
package watch
