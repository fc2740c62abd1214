// Package e2e has tests only. They run the built program on a terminal, as a person does, and hold the whole tree to
// its rules: which package may import which, where documentation stands, what lies at the top.
package e2e
