// Package config reads the file in which a person keeps what would else be given by flags each time: keys, theme,
// thresholds, and servers by name. The file is TOML, it is read strictly, and no password may be in it.
package config
