// Package plain writes for people and logs without a screen: lines of text, no colours, no control characters.
package plain
