package redisq

import (
	"slices"
	"strconv"
	"strings"
)

// luaMay sends the commands that end a script in a form that changes nothing, before the first one that does: a user who
// may not send them is refused when nothing has happened. A script is not undone, so an entry would be added, and its
// letter stay. The adding is tried first: once a script has sent a command that writes, the server lets it go over its
// maxmemory.
const luaMay = `
local function mayNot(command, ...)
  local reply = redis.pcall(command, ...)
  if type(reply) == 'table' and reply.err then return reply end
end
local function mayNotAdd(key)
  local reply = redis.pcall('XADD', key, 'none', 'f', 'v')
  if not string.find(reply.err, 'nvalid stream ID', 1, true) then return reply end
end
`

// luaLetter finds the letter. Letters cannot change, so one with this id and number of fields is the one that was read.
//
// KEYS letters, stream; ARGV id, number of names and values
const luaLetter = luaMay + `
local letter = redis.pcall('XRANGE', KEYS[1], ARGV[1], ARGV[1])
if letter.err then return letter end
letter = letter[1]
if not letter then return {'gone'} end
local f = letter[2]
if #f ~= tonumber(ARGV[2]) then return {'changed'} end
if #f > 7000 then return redis.error_reply('TOOBIG the letter has too many fields to be copied by a script') end
local dropped, own = {}, {}
for place in string.gmatch(ARGV[5], '%d+') do dropped[tonumber(place)] = true end
for i = tonumber(ARGV[3]), tonumber(ARGV[4]), 2 do
  if not dropped[i] then own[#own + 1], own[#own + 2] = f[i], f[i + 1] end
end
local function keep(entry)
  local copy, from = {'XADD', KEYS[1], '*', '` + metaKept + `', entry}, 1
  if f[1] == '` + metaKept + `' then from = 3 end
  for i = from, #f do copy[#copy + 1] = f[i] end
  if ARGV[6] ~= '' and f[from] == '` + metaStream + `' and f[from + 16] == '` + metaReplays + `' then
    copy[23] = ARGV[6]
  end
  return redis.pcall(unpack(copy))
end
`

// replayScript puts a letter back to work: its own fields or edited ones, then where it came from and how often that
// was done. The letter is deleted in the same step, or becomes a new one that says so, so a second run finds nothing to
// do. When the letter cannot be written anew the entry is taken back; nobody has seen it, for a script runs alone.
//
// KEYS letters, stream; ARGV id, number of names and values, first, last, dropped places, replays with this one or "",
// original or "", 1 to keep, n, n edited names and values
var replayScript = newScript("replay", luaLetter+`
local n = tonumber(ARGV[9])
local args = {'XADD', KEYS[2], '*'}
if n > 0 then
  for i = 10, 9 + n do args[#args + 1] = ARGV[i] end
else
  for i = 1, #own do args[#args + 1] = own[i] end
end
if #args < 5 then return {'empty'} end
if #args > 7000 then return redis.error_reply('TOOBIG there are too many fields to be added by a script') end
if ARGV[7] ~= '' then
  args[#args + 1] = '`+metaOriginal+`'
  args[#args + 1] = ARGV[7]
  args[#args + 1] = '`+metaReplays+`'
  args[#args + 1] = ARGV[6]
end
local no = mayNotAdd(KEYS[2]) or mayNot('XDEL', KEYS[1], '0-0') or ARGV[8] == '1' and mayNot('XDEL', KEYS[2], '0-0')
if no then return no end
local added = redis.pcall(unpack(args))
if added.err then return added end
if ARGV[8] == '1' then
  local kept = keep(added)
  if kept.err then
    redis.call('XDEL', KEYS[2], added)
    return kept
  end
end
redis.call('XDEL', KEYS[1], ARGV[1])
return {'replayed', added}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XRANGE", keys[0], args[0], args[0]}}
	if replyWord(reply) != "replayed" {
		return commands
	}
	commands = append(commands, []string{"XADD", keys[1], "*", "…"})
	return append(commands, letterLeaves(keys, args, asList(reply))...)
})

func letterLeaves(keys, args []string, reply []any) [][]string {
	commands := [][]string{{"XDEL", keys[0], args[0]}}
	if len(args) > 7 && args[7] == "1" && len(reply) > 1 {
		commands = slices.Insert(commands, 0, []string{"XADD", keys[0], "*", metaKept, asString(reply[1]), "…"})
	}
	return commands
}

// luaID compares ids: their halves are unsigned 64-bit numbers, and a Lua number holds 53 bits. The embedded server
// writes the id of a group at the beginning without its second half.
const luaID = `
local function half(a, b)
  if #a ~= #b then return #a < #b and -1 or 1 end
  if a == b then return 0 end
  return a < b and -1 or 1
end
local function less(a, b)
  local ams, aseq = string.match(a, '^(%d+)%-?(%d*)$')
  local bms, bseq = string.match(b, '^(%d+)%-?(%d*)$')
  local order = half(ams, bms)
  if order == 0 then order = half(aseq == '' and '0' or aseq, bseq == '' and '0' or bseq) end
  return order < 0
end
`

// rependScript makes the entry that a letter was made of pending again for one group, as never delivered. It does so
// only where the entry is in the stream, is the same message, was given to the group before and is not pending there.
//
// KEYS letters, stream; ARGV id, number of names and values, first, last, dropped places, replays, original, 1 to keep,
// entry, group, consumer
var rependScript = newScript("replay to one group", luaID+luaLetter+`
local entry = ARGV[9]
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[2])
if groups.err then return groups end
local last
for _, group in ipairs(groups) do
  local info = {}
  for i = 1, #group, 2 do info[group[i]] = group[i + 1] end
  if info.name == ARGV[10] then last = info['last-delivered-id'] end
end
if not last then return {'no-group'} end
local body = redis.call('XRANGE', KEYS[2], entry, entry)[1]
if not body then return {'trimmed'} end
body = body[2]
local rest = #body - #own
if rest ~= 0 and not (rest == 4 and body[#own + 1] == '`+metaOriginal+`' and body[#own + 3] == '`+metaReplays+`') then
  return {'another'}
end
for i = 1, #own do
  if own[i] ~= body[i] then return {'another'} end
end
if less(last, entry) then return {'ahead'} end
local row = redis.call('XPENDING', KEYS[2], ARGV[10], entry, entry, 1)[1]
if row then return {'pending', row[2]} end
local no = ARGV[8] == '1' and mayNotAdd(KEYS[1]) or mayNot('XDEL', KEYS[1], '0-0') or ARGV[8] == '1' and mayNot('XACK', KEYS[2], ARGV[10], '0-0')
if no then return no end
local claimed = redis.pcall('XCLAIM', KEYS[2], ARGV[10], ARGV[11], 0, entry, 'RETRYCOUNT', 0, 'FORCE', 'JUSTID')
if claimed.err then return claimed end
if not claimed[1] then return {'refused'} end
if ARGV[8] == '1' then
  local kept = keep(entry)
  if kept.err then
    redis.call('XACK', KEYS[2], ARGV[10], entry)
    return kept
  end
end
redis.call('XDEL', KEYS[1], ARGV[1])
return {'replayed', entry}
`, func(keys, args []string, reply any) [][]string {
	entry := args[8]
	commands := [][]string{
		{"XRANGE", keys[0], args[0], args[0]},
		{"XINFO", "GROUPS", keys[1]},
		{"XPENDING", keys[1], args[9], entry, entry, "1"},
	}
	if replyWord(reply) != "replayed" {
		return commands
	}
	commands = append(commands, rependCommand(keys[1], args[9], args[10], entry))
	return append(commands, letterLeaves(keys, args, asList(reply))...)
})

func rependCommand(stream, group, consumer, entry string) []string {
	return []string{"XCLAIM", stream, group, consumer, "0", entry, "RETRYCOUNT", "0", "FORCE", "JUSTID"}
}

// scriptArgs are the arguments that both scripts begin with.
func (w *letterWork) scriptArgs(keep bool) []any {
	replays, kept := "", "0"
	if w.original != "" {
		replays = strconv.FormatInt(w.replays+1, 10)
	}
	if keep {
		kept = "1"
	}
	return []any{w.ID, w.flat, w.first, w.last, strings.Join(w.drop, " "), replays, w.original, kept}
}
