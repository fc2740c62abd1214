package ui

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
)

// Named is a binding with its name: that of its field in words, like "kill-at"; the views are "view-1" and so on.
type Named struct {
	Name    string
	Binding *key.Binding
}

// Named lists the bindings by name, in the order of the fields. What is set in them is set in k.
func (k *KeyMap) Named() []Named {
	var all []Named
	v := reflect.ValueOf(k).Elem()
	for i := range v.NumField() {
		switch b := v.Field(i).Addr().Interface().(type) {
		case *key.Binding:
			all = append(all, Named{dashed(v.Type().Field(i).Name), b})
		case *[]key.Binding:
			for n := range *b {
				all = append(all, Named{"view-" + strconv.Itoa(n+1), &(*b)[n]})
			}
		}
	}
	return all
}

// dashed writes "KillAt" as "kill-at".
func dashed(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Rebind gives the action of that name other keys, written as " ", "x", "shift+tab" or "ctrl+z". It says which names
// there are where it does not know the name.
func (k *KeyMap) Rebind(name string, keys []string) error {
	all := k.Named()
	at := slices.IndexFunc(all, func(n Named) bool { return n.Name == name })
	if at < 0 {
		names := make([]string, len(all))
		for i, n := range all {
			names[i] = n.Name
		}
		return fmt.Errorf("there is no action %q; there are %s", name, strings.Join(names, ", "))
	}
	if len(keys) == 0 {
		return fmt.Errorf("the action %q needs a key", name)
	}
	for i, s := range keys {
		if s == "space" {
			keys[i] = " "
		}
		if _, ok := keyFor(keys[i]); !ok {
			return fmt.Errorf("%q is no key; a key is one character, or a name like tab, enter, ctrl+r, f5, shift+tab", s)
		}
	}
	b := all[at].Binding
	b.SetKeys(keys...)
	shown := keys[0]
	if shown == " " {
		shown = "space"
	}
	b.SetHelp(shown, b.Help().Desc)
	return nil
}

// Conflict says which two actions have the same key, "" where none have.
func (k *KeyMap) Conflict() string {
	who := map[string]string{}
	for _, n := range k.Named() {
		for _, s := range n.Binding.Keys() {
			if other, taken := who[s]; taken && other != n.Name {
				return fmt.Sprintf("the key %q is that of %s and of %s", s, other, n.Name)
			}
			who[s] = n.Name
		}
	}
	return ""
}
