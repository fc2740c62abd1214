package config

// Example is a file with every setting.
const Example = `# What would else be given by flags. A flag comes first, then the environment, then this file.

theme    = "dark"    # dark, light, or "" for colours that can be read on both (UNACKED_THEME)
ascii    = false     # draw with ASCII characters only
no-color = false     # (NO_COLOR)
mouse    = false     # click to select, wheel to scroll; the terminal's own selection is then with shift
interval = "500ms"   # between readings

# From where on watch and doctor call something wrong.
[thresholds]
lease          = "60s"
max-deliveries = 5

# Other keys for actions; unacked config lists their names. A key is a character, or a name like ctrl+r, tab, f5.
[keys]
kill    = "x"
palette = [":", "ctrl+p"]

# unacked watch production. A password is not kept here: REDISCLI_AUTH has it, or --ask-password asks for it.
[servers.production]
url    = "rediss://reader@redis.example:6380/0"
cacert = "/etc/ssl/redis-ca.pem"

[servers.staging]
url = "redis://staging.example:6379"
`
