package redisq

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// RedisCLI returns a command as one line that redis-cli takes: an argument with a blank, a quote, a control or a byte
// that is no printable UTF-8 stands in double quotes with escapes, as redis-cli itself prints it. The result holds no
// control character, so it is also safe to show.
func RedisCLI(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quoteCLI(a)
	}
	return strings.Join(quoted, " ")
}

func quoteCLI(arg string) string {
	if plainCLI(arg) {
		return arg
	}
	const digits = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(arg); {
		r, size := utf8.DecodeRuneInString(arg[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(arg[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r):
			for _, c := range []byte(arg[i : i+size]) {
				b.WriteString(`\x`)
				b.WriteByte(digits[c>>4])
				b.WriteByte(digits[c&15])
			}
		default:
			b.WriteString(arg[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// plainCLI says that arg needs no quotes. It is stricter than redis-cli: what a shell might take for its own is quoted
// as well, except * and $ and >, which ids are made of and which redis-cli's prompt takes as they are.
func plainCLI(arg string) bool {
	if arg == "" {
		return false
	}
	for _, r := range arg {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case strings.ContainsRune("-_.:,@/+=*$>{}()~[]%", r):
		default:
			return false
		}
	}
	return true
}
