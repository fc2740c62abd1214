package e2e

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/unacked"

// root is the top of the tree, seen from this package.
const root = "../.."

// rule forbids imports, sub-packages included. Tests may import what they like, but for the direction of things.
type rule struct {
	of     []string // packages that the rule is for
	except []string // but not for these
	not    []string // what they may not import
	why    string
	tests  bool // holds for their tests too
}

var rules = []rule{
	{
		of: []string{"redisq"}, not: []string{"workers", "ui", ""}, tests: true,
		why: "redisq is the queue as the server sees it: a program without workers or a screen is to be able to use it",
	},
	{
		of: []string{"workers"}, not: []string{"ui", ""}, tests: true,
		why: "workers run on machines that have no screen",
	},
	{
		of: []string{"ui"}, not: []string{""}, tests: true,
		why: "package main wires the parts and is wired by none",
	},
	{
		of:  []string{"redisq", "workers"},
		not: []string{"github.com/charmbracelet", "github.com/muesli", "github.com/mattn/go-runewidth"},
		why: "only the screen knows of terminals",
	},
	{
		of: []string{"ui", "workers", ""}, not: []string{"github.com/redis/go-redis"},
		why: "every command goes through package redisq, which logs it, keeps passwords out of errors, and refuses to " +
			"send again what may not be sent twice",
	},
	{
		of: []string{"ui", "workers", "redisq", ""}, except: []string{"redisq/redistest"},
		not: []string{"redisq/redistest", "ui/term/termtest"},
		why: "what is for tests stays out of the program",
	},
	{
		of: []string{"ui/background"}, not: []string{"github.com/charmbracelet/bubbletea", "redisq", "workers", "ui"}, tests: false,
		why: "it must be initialised before Bubble Tea, and so must not wait for anything that comes later",
	},
	{
		of: []string{"ui/cell/narrow"}, not: []string{"github.com", "golang.org"}, tests: true,
		why: "it must be initialised before the width libraries",
	},
	{
		of: []string{"ui/cell", "ui/chart"}, not: []string{"redisq", "workers", "github.com/charmbracelet/bubbletea"}, tests: true,
		why: "they draw figures and text, whatever these are of",
	},
}

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	all := packages(t)
	if len(all) < 10 {
		t.Fatalf("go list knows %d packages only", len(all))
	}
	for _, p := range all {
		for _, r := range rules {
			for _, broken := range r.broken(p) {
				t.Errorf("%s imports %s: %s", p.ImportPath, broken, r.why)
			}
		}
	}
}

func (r rule) broken(p pkg) []string {
	if !slices.ContainsFunc(r.of, func(s string) bool { return within(p.ImportPath, s) }) ||
		slices.ContainsFunc(r.except, func(s string) bool { return within(p.ImportPath, s) }) {
		return nil
	}
	imports := slices.Clone(p.Imports)
	if r.tests {
		imports = slices.Concat(imports, p.TestImports, p.XTestImports)
	}
	return slices.DeleteFunc(imports, func(path string) bool {
		return path == p.ImportPath || !slices.ContainsFunc(r.not, func(s string) bool { return within(path, s) })
	})
}

// within says that path is that package or below it. "" is package main alone; a name without a dot in its first part
// is of this module.
func within(path, name string) bool {
	if name == "" {
		return path == module
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		name = module + "/" + name
	}
	return path == name || strings.HasPrefix(path, name+"/")
}

// The rules themselves: they catch what they are for, and let through what they should.
func TestRulesCatch(t *testing.T) {
	breaks := func(importer, imported string, test bool) bool {
		p := pkg{ImportPath: module + "/" + importer, Imports: []string{imported}}
		if importer == "" {
			p.ImportPath = module
		}
		if test {
			p.Imports, p.TestImports = nil, p.Imports
		}
		return slices.ContainsFunc(rules, func(r rule) bool { return len(r.broken(p)) > 0 })
	}
	for _, c := range []struct {
		importer, imported string
		test, want         bool
	}{
		{"redisq", module + "/workers", false, true},
		{"redisq/safe", module + "/ui/cell", false, true},
		{"redisq", module + "/workers/lab", true, true},
		{"redisq", module, false, true},
		{"workers/mail", module + "/ui", false, true},
		{"workers", module + "/redisq/safe", false, false},
		{"workers", "github.com/charmbracelet/bubbletea", false, true},
		{"workers/lab", "github.com/charmbracelet/x/ansi", false, true},
		{"ui", module + "/workers/lab", false, false},
		{"ui", module, false, true},
		{"ui", "github.com/redis/go-redis/v9", false, true},
		{"redisq", "github.com/redis/go-redis/v9", false, false},
		{"", "github.com/charmbracelet/bubbletea", false, false},
		{"", module + "/redisq/redistest", false, true},
		{"workers", module + "/redisq/redistest", true, false},
		{"ui/cell", module + "/ui/cell/narrow", false, false},
		{"ui/cell/narrow", "github.com/mattn/go-runewidth", false, true},
		{"ui/chart", module + "/redisq", false, true},
		{"redisquery", module + "/ui", false, false}, // another name, not a sub-package
	} {
		if got := breaks(c.importer, c.imported, c.test); got != c.want {
			t.Errorf("%q importing %s (test %v): broken %v, want %v", c.importer, c.imported, c.test, got, c.want)
		}
	}
}

// Each directory with Go files has its documentation in doc.go and nowhere else; package main has it in main.go.
func TestPackageDocuments(t *testing.T) {
	for _, p := range packages(t) {
		want := "doc.go"
		if p.ImportPath == module {
			want = "main.go"
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		documented := false
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			switch {
			case f.Doc == nil:
			case name == want:
				documented = true
				begin := "Package " + f.Name.Name + " "
				if f.Name.Name == "main" {
					begin = "Command unacked "
				}
				if text := f.Doc.Text(); !strings.HasPrefix(text, begin) || len(text) < 2*len(begin) {
					t.Errorf("%s: the package document begins with %q", file, text)
				}
			default:
				t.Errorf("%s: a package document that is not in %s", file, want)
			}
		}
		if !documented {
			t.Errorf("%s: no package document in %s", p.ImportPath, want)
		}
	}
}

// The top of the tree holds these and nothing else, so that a reader knows where to look.
func TestTop(t *testing.T) {
	allowed := map[string]bool{
		"main.go": true, "keymap.go": true, "README.md": true, "LICENSE": true, "go.mod": true, "go.sum": true,
		"redisq": true, "workers": true, "ui": true, ".ci": true, ".gitignore": true, "docs": true,
	}
	for _, name := range top(t) {
		if !allowed[name] {
			t.Errorf("%s does not belong at the top", name)
		}
	}
}

// top lists what is versioned at the top, or everything there where the tree is not a checkout.
func top(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		cmd := exec.Command("git", "ls-tree", "--name-only", "HEAD")
		cmd.Dir = root
		if out, err := cmd.Output(); err == nil {
			return strings.Fields(string(out))
		}
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
