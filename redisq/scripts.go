package redisq

import (
	"strconv"
)

// addScript adds an entry unless the group's backlog (pending and undelivered) has reached the limit. It counts up to
// the limit, so an addition costs the server that much.
//
// KEYS stream; ARGV group, limit, exact cap or 0, fields…
var addScript = newScript("add", `
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
if groups.err then
  if not string.find(groups.err, 'no such key', 1, true) then return groups end
  groups = {}
end
local last, room = '0-0', tonumber(ARGV[2])
for _, group in ipairs(groups) do
  local info = {}
  for i = 1, #group, 2 do info[group[i]] = group[i + 1] end
  if info.name == ARGV[1] then
    last, room = info['last-delivered-id'], room - info.pending
  end
end
if room > 0 then
  room = room - #redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', room)
end
if room <= 0 then return {'full'} end
local args = {'XADD', KEYS[1]}
if ARGV[3] ~= '0' then
  args[3], args[4] = 'MAXLEN', ARGV[3]
end
args[#args + 1] = '*'
for i = 4, #ARGV do args[#args + 1] = ARGV[i] end
local added = redis.pcall(unpack(args))
if added.err then return added end
return {'added', added}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XINFO", "GROUPS", keys[0]}}
	if replyWord(reply) == "added" {
		n, _ := strconv.ParseInt(args[2], 10, 64)
		commands = append(commands, addCommand(keys[0], n, args[3:]))
	}
	return commands
})

func addCommand(stream string, maxLen int64, flat []string) []string {
	command := []string{"XADD", stream}
	if maxLen > 0 {
		command = append(command, "MAXLEN", strconv.FormatInt(maxLen, 10))
	}
	return append(append(command, "*"), flat...)
}

// claimScript looks at one page of the pending entries and takes at most one: the delivery count is looked at before
// anything is claimed, so that a limit is never passed, and an entry without a body is dropped and said.
//
// KEYS stream; ARGV group, consumer, lease in ms, limit or 0, start id, 1 for the consumer's own entries whatever their
// idle time, page, 1 to look only
var claimScript = newScript("claim", `
local own = ARGV[6] == '1'
local rows
if own then
  rows = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[5], '+', ARGV[7], ARGV[2])
else
  rows = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[5], '+', ARGV[7])
end
if rows.err then return rows end
local lease, limit, last = tonumber(ARGV[3]), tonumber(ARGV[4]), ''
for _, row in ipairs(rows) do
  local id, owner, idle, n = row[1], row[2], row[3], row[4]
  last = id
  if own or idle < 0 or idle >= lease then
    if ARGV[8] == '1' then return {'due', ''} end
    local body = redis.call('XRANGE', KEYS[1], id, id)[1]
    if not body then
      redis.call('XACK', KEYS[1], ARGV[1], id)
      return {'vanished', last, id, owner, idle, count(n)}
    end
    if n >= marked or (limit > 0 and n >= limit) then
      return {'at-limit', last, id, owner, idle, count(n), body[2]}
    end
    local least = ARGV[3]
    if own or idle < 0 then least = 0 end
    local claimed = redis.pcall('XCLAIM', KEYS[1], ARGV[1], ARGV[2], least, id)
    if claimed.err then return claimed end
    if claimed[1] then
      return {'claimed', last, id, owner, idle, count(n + 1), body[2]}
    end
  end
end
if #rows < tonumber(ARGV[7]) then last = '' end
return {'none', last}
`, func(keys, args []string, reply any) [][]string {
	look := []string{"XPENDING", keys[0], args[0], args[4], "+", args[6]}
	least := args[2]
	if args[5] == "1" {
		look, least = append(look, args[1]), "0"
	}
	commands := [][]string{look}
	parts, _ := reply.([]any)
	if len(parts) < 3 {
		return commands
	}
	id, _ := parts[2].(string)
	switch replyWord(reply) {
	case "claimed":
		commands = append(commands, []string{"XCLAIM", keys[0], args[0], args[1], least, id})
	case "vanished":
		commands = append(commands, []string{"XACK", keys[0], args[0], id})
	}
	return commands
})

// luaHeld sorts the entries that a consumer believes to hold into its own (with that delivery count) and bad ones. One
// XPENDING answers for a whole batch where its ids lie together, as they do after a read; when it shows just what was
// asked, all is true and nothing is sorted: that is what makes checking a batch cheap.
//
// KEYS stream; ARGV group, consumer, n, n ids in their order, then n delivery counts, or one for all
const luaHeld = `
local n = tonumber(ARGV[3])
local rows = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[3 + n], n, ARGV[2])
if rows.err then return rows end
local single = #ARGV == 4 + n and tonumber(ARGV[4 + n])
local all = #rows == n
for i = 1, all and n or 0 do
  local row = rows[i]
  if row[1] ~= ARGV[3 + i] or row[4] ~= (single or tonumber(ARGV[3 + n + i])) then all = false break end
end
local good, bad, deliveries = {}, {}, {}
local function sort()
  local mine = {}
  for i = 1, #rows do mine[rows[i][1]] = rows[i][4] end
  for i = 1, n do
    local id, want = ARGV[3 + i], single or tonumber(ARGV[3 + n + i])
    local have, owner = mine[id], ARGV[2]
    if not have then
      local row = redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1)[1]
      if row then owner, have = row[2], row[4] else owner, have = '', 0 end
    end
    if owner == ARGV[2] and have == want then
      good[#good + 1], deliveries[#good + 1] = id, have
    else
      bad[#bad + 1] = {id, owner, count(have)}
    end
  end
end
`

// ackScript acknowledges what is still the consumer's own. The reply lists what is not: id, owner, deliveries.
var ackScript = newScript("ack", luaHeld+`
if all then
  redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 4, 3 + n))
  return bad
end
sort()
if #good > 0 then redis.call('XACK', KEYS[1], ARGV[1], unpack(good)) end
return bad
`, func(keys, args []string, reply any) [][]string {
	ids := heldIDs(args)
	if len(ids) == 0 {
		return nil
	}
	look := []string{"XPENDING", keys[0], args[0], ids[0], ids[len(ids)-1], args[2], args[1]}
	if good := goodIDs(ids, reply); len(good) > 0 {
		return [][]string{look, append([]string{"XACK", keys[0], args[0]}, good...)}
	}
	return [][]string{look}
})

// extendScript sets the idle time of the consumer's own entries to 0 and leaves their delivery counts: RETRYCOUNT says
// so to the embedded server too, where JUSTID alone would raise it.
var extendScript = newScript("extend", luaHeld+`
sort()
for i, id in ipairs(good) do
  local kept = redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'RETRYCOUNT', count(deliveries[i]), 'JUSTID')
  if not kept[1] then bad[#bad + 1] = {id, '', '0'} end
end
return bad
`, func(keys, args []string, reply any) [][]string {
	var commands [][]string
	for _, id := range goodIDs(heldIDs(args), reply) {
		commands = append(commands, []string{"XCLAIM", keys[0], args[0], args[1], "0", id, "JUSTID"})
	}
	return commands
})

// heldIDs returns the ids among the arguments of an ack or extend.
func heldIDs(args []string) []string {
	if len(args) < 3 {
		return nil
	}
	n, err := strconv.Atoi(args[2])
	if err != nil || n < 0 || 3+n > len(args) {
		return nil
	}
	return args[3 : 3+n]
}

// goodIDs returns the ids that the reply of an ack or extend does not list as refused.
func goodIDs(ids []string, reply any) []string {
	parts, ok := reply.([]any)
	if !ok {
		return nil
	}
	bad := map[string]bool{}
	for _, p := range parts {
		if row := asList(p); len(row) > 0 {
			bad[asString(row[0])] = true
		}
	}
	var good []string
	for _, id := range ids {
		if !bad[id] {
			good = append(good, id)
		}
	}
	return good
}

// deadLetterScript moves an entry to the dead letters: XADD first, so that an error (wrong type, no memory) leaves it
// pending, then XACK. A second run finds the letter and says so.
//
// KEYS stream, dead letters; ARGV group, owner, id, deliveries, reason
var deadLetterScript = newScript("dead-letter", luaMay+`
local id = ARGV[3]
local row = redis.pcall('XPENDING', KEYS[1], ARGV[1], id, id, 1)
if row.err then return row end
row = row[1]
if not row then
  local letters = redis.pcall('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 100)
  if letters.err then return letters end
  for _, letter in ipairs(letters) do
    local f = letter[2]
    if f[1] == '`+metaStream+`' and f[2] == KEYS[1] and f[4] == ARGV[1] and f[6] == id then
      return {'already', letter[1]}
    end
  end
  return {'other', '', '0'}
end
if row[2] ~= ARGV[2] or row[4] ~= tonumber(ARGV[4]) then return {'other', row[2], count(row[4])} end
local body = redis.call('XRANGE', KEYS[1], id, id)[1]
if not body then
  redis.call('XACK', KEYS[1], ARGV[1], id)
  return {'gone'}
end
local fields = body[2]
local last, original, replays = #fields, id, '0'
if last >= 6 and fields[last - 3] == '`+metaOriginal+`' and fields[last - 1] == '`+metaReplays+`'
  and string.find(fields[last - 2], '^%d+%-%d+$') and string.find(fields[last], '^%d+$') then
  original, replays, last = fields[last - 2], fields[last], last - 4
end
if last > 7000 then return redis.error_reply('TOOBIG the entry has too many fields to be copied by a script') end
local no = mayNotAdd(KEYS[2]) or mayNot('XACK', KEYS[1], ARGV[1], '0-0')
if no then return no end
local now = redis.call('TIME')
local args = {'XADD', KEYS[2], '*',
  '`+metaStream+`', KEYS[1], '`+metaGroup+`', ARGV[1], '`+metaEntry+`', id, '`+metaOriginal+`', original,
  '`+metaDeliveries+`', ARGV[4], '`+metaConsumer+`', ARGV[2], '`+metaReason+`', ARGV[5],
  '`+metaTime+`', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)), '`+metaReplays+`', replays}
for i = 1, last do args[#args + 1] = fields[i] end
local added = redis.pcall(unpack(args))
if added.err then return added end
redis.call('XACK', KEYS[1], ARGV[1], id)
return {'moved', added}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XPENDING", keys[0], args[0], args[2], args[2], "1"}}
	switch replyWord(reply) {
	case "moved":
		commands = append(commands,
			[]string{
				"XADD", keys[1], "*", metaStream, keys[0], metaGroup, args[0], metaEntry, args[2], "…",
				metaDeliveries, args[3], metaConsumer, args[1], metaReason, args[4], "…",
			},
			[]string{"XACK", keys[0], args[0], args[2]})
	case "gone":
		commands = append(commands, []string{"XACK", keys[0], args[0], args[2]})
	}
	return commands
})

// pushScript pushes to a list unless it has reached the limit, and cuts it to the cap: the oldest go.
//
// KEYS list; ARGV limit or 0, cap or 0, value
var pushScript = newScript("push", `
if ARGV[1] ~= '0' then
  local length = redis.pcall('LLEN', KEYS[1])
  if type(length) == 'table' then return length end
  if length >= tonumber(ARGV[1]) then return {'full'} end
end
local length = redis.pcall('LPUSH', KEYS[1], ARGV[3])
if type(length) == 'table' then return length end
if ARGV[2] ~= '0' then redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 1) end
return {'added', ''}
`, func(keys, args []string, reply any) [][]string {
	var commands [][]string
	if args[0] != "0" {
		commands = append(commands, []string{"LLEN", keys[0]})
	}
	if replyWord(reply) == "added" {
		commands = append(commands, []string{"LPUSH", keys[0], args[2]})
		if n, err := strconv.ParseInt(args[1], 10, 64); err == nil && n > 0 {
			commands = append(commands, []string{"LTRIM", keys[0], "0", strconv.FormatInt(n-1, 10)})
		}
	}
	return commands
})
