// Package safe makes strings that came from a server harmless to print.
//
// Names, fields, values and error texts are bytes that somebody else chose. [Text] turns every control among them into
// a visible mark, so that nothing in them can move the cursor, set a title, write the clipboard or fake a row. It must
// be applied before a string is measured or cut.
package safe
