package ui

import "strings"

const (
	foldFrom  = 60 // rows from which names are shown in groups of the same beginning
	foldLeast = 5  // fewer of a beginning are shown one by one
)

// separators are what the parts of a name are commonly divided by.
const separators = ":-._/|#"

// folded is names with the same beginning, or one name.
type folded struct {
	prefix  string // "" is one name
	members []int  // their places among the names, in order
}

// fold puts names that begin alike together, by the first part in which they differ, in the order in which each
// beginning is first met.
func fold(names []string) []folded {
	common := commonPart(names)
	var all []folded
	at := map[string]int{}
	for i, name := range names {
		prefix := common + firstPart(name[len(common):])
		if prefix == "" {
			all = append(all, folded{members: []int{i}})
			continue
		}
		k, ok := at[prefix]
		if !ok {
			k = len(all)
			at[prefix] = k
			all = append(all, folded{prefix: prefix})
		}
		all[k].members = append(all[k].members, i)
	}
	kept := make([]folded, 0, len(all))
	for _, f := range all {
		if f.prefix != "" && len(f.members) >= foldLeast {
			kept = append(kept, f)
			continue
		}
		for _, i := range f.members {
			kept = append(kept, folded{members: []int{i}})
		}
	}
	if len(kept) == 1 && kept[0].prefix != "" {
		// All have the same beginning: it says nothing. They are shown one by one.
		one := make([]folded, len(names))
		for i := range names {
			one[i] = folded{members: []int{i}}
		}
		return one
	}
	return kept
}

// commonPart is the beginning that all names share, up to a separator.
func commonPart(names []string) string {
	if len(names) < 2 {
		return ""
	}
	common := names[0]
	for _, name := range names[1:] {
		n := 0
		for n < len(common) && n < len(name) && common[n] == name[n] {
			n++
		}
		if common = common[:n]; n == 0 {
			return ""
		}
	}
	return common[:strings.LastIndexAny(common, separators)+1]
}

// firstPart is the first part of what is left of a name with its separator; of one without a separator what stands
// before the number at its end.
func firstPart(rest string) string {
	if at := strings.IndexAny(rest, separators); at >= 0 {
		return rest[:at+1]
	}
	if head := strings.TrimRight(rest, "0123456789"); head != rest {
		return head
	}
	return rest
}
