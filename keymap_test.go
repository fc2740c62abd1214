package main

import "testing"

// No key means two things.
func TestKeysAreDistinct(t *testing.T) {
	keys := keyMap()
	if c := keys.Conflict(); c != "" {
		t.Error(c)
	}
	for _, n := range keys.Named() {
		if len(n.Binding.Keys()) == 0 || n.Binding.Help().Key == "" || n.Binding.Help().Desc == "" {
			t.Errorf("%s has no key or no words", n.Name)
		}
	}
}
