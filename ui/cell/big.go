package cell

import (
	"strings"
	"unicode"
)

// Big letters are drawn from dots, bigDots across and bigRows down, in one of two sizes.
const (
	bigDots = 3
	bigRows = 5
)

// bigFont has the rows of each letter; a dot is #.
var bigFont = map[rune][bigRows]string{
	' ': {"   ", "   ", "   ", "   ", "   "}, '?': {"###", "  #", " ##", "   ", " # "},
	'A': {" # ", "# #", "###", "# #", "# #"}, 'B': {"## ", "# #", "## ", "# #", "## "},
	'C': {" ##", "#  ", "#  ", "#  ", " ##"}, 'D': {"## ", "# #", "# #", "# #", "## "},
	'E': {"###", "#  ", "## ", "#  ", "###"}, 'F': {"###", "#  ", "## ", "#  ", "#  "},
	'G': {" ##", "#  ", "# #", "# #", " ##"}, 'H': {"# #", "# #", "###", "# #", "# #"},
	'I': {"###", " # ", " # ", " # ", "###"}, 'J': {"  #", "  #", "  #", "# #", " # "},
	'K': {"# #", "# #", "## ", "# #", "# #"}, 'L': {"#  ", "#  ", "#  ", "#  ", "###"},
	'M': {"# #", "###", "###", "# #", "# #"}, 'N': {"## ", "# #", "# #", "# #", "# #"},
	'O': {" # ", "# #", "# #", "# #", " # "}, 'P': {"## ", "# #", "## ", "#  ", "#  "},
	'Q': {" # ", "# #", "# #", "###", " ##"}, 'R': {"## ", "# #", "## ", "# #", "# #"},
	'S': {" ##", "#  ", " # ", "  #", "## "}, 'T': {"###", " # ", " # ", " # ", " # "},
	'U': {"# #", "# #", "# #", "# #", "###"}, 'V': {"# #", "# #", "# #", "# #", " # "},
	'W': {"# #", "# #", "###", "###", "# #"}, 'X': {"# #", "# #", " # ", "# #", "# #"},
	'Y': {"# #", "# #", " # ", " # ", " # "}, 'Z': {"###", "  #", " # ", "#  ", "###"},
	'0': {"###", "# #", "# #", "# #", "###"}, '1': {" # ", "## ", " # ", " # ", "###"},
	'2': {"###", "  #", "###", "#  ", "###"}, '3': {"###", "  #", " ##", "  #", "###"},
	'4': {"# #", "# #", "###", "  #", "  #"}, '5': {"###", "#  ", "###", "  #", "###"},
	'6': {"###", "#  ", "###", "# #", "###"}, '7': {"###", "  #", "  #", " # ", " # "},
	'8': {"###", "# #", "###", "# #", "###"}, '9': {"###", "# #", "###", "  #", "###"},
	'.': {"   ", "   ", "   ", "   ", " # "}, ',': {"   ", "   ", "   ", " # ", "#  "},
	'/': {"  #", "  #", " # ", "#  ", "#  "}, '-': {"   ", "   ", "###", "   ", "   "},
	'+': {"   ", " # ", "###", " # ", "   "}, ':': {"   ", " # ", "   ", " # ", "   "},
	'%': {"# #", "  #", " # ", "#  ", "# #"}, '<': {"  #", " # ", "#  ", " # ", "  #"},
}

// BigSize is how wide and high a text is in big letters: small ones take 3 lines and 4 cells a letter (5 lines in
// ASCII), large ones 5 lines and 8 cells.
func BigSize(text string, large bool, g Glyphs) (width, height int) {
	n := len([]rune(text))
	switch {
	case large:
		return 2 * (bigDots + 1) * n, bigRows
	case g.ASCII:
		return (bigDots + 1) * n, bigRows
	}
	return (bigDots + 1) * n, (bigRows + 1) / 2
}

// Big writes text in big letters, one string a line. There are capital letters, digits and a few signs; others are "?".
func Big(text string, large bool, g Glyphs) []string {
	var dots [bigRows + 1]string // the last one is empty: two make a line of small letters
	for _, r := range strings.ToUpper(text) {
		letter, ok := bigFont[r]
		if !ok {
			letter = bigFont['?']
			if unicode.IsSpace(r) {
				letter = bigFont[' ']
			}
		}
		for i, row := range letter {
			dots[i] += row + " "
		}
		dots[bigRows] += "    "
	}
	var lines []string
	switch {
	case large:
		for _, row := range dots[:bigRows] {
			lines = append(lines, strings.NewReplacer("#", g.Bar+g.Bar, " ", "  ").Replace(row))
		}
	case g.ASCII:
		for _, row := range dots[:bigRows] {
			lines = append(lines, strings.ReplaceAll(row, "#", g.Bar))
		}
	default:
		for i := 0; i < bigRows; i += 2 {
			var b strings.Builder
			for c := range len(dots[i]) {
				switch up, down := dots[i][c] == '#', dots[i+1][c] == '#'; {
				case up && down:
					b.WriteString("█")
				case up:
					b.WriteString("▀")
				case down:
					b.WriteString("▄")
				default:
					b.WriteByte(' ')
				}
			}
			lines = append(lines, b.String())
		}
	}
	return lines
}
