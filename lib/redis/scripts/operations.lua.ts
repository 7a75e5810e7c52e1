import { createHash } from 'node:crypto';
import { RESERVED } from '../../engine/resources.js';
import { QUEUE } from './queue.lua.js';
import { RECORDS } from './records.lua.js';
import { TRUST } from './trust.lua.js';

/** How many keys of the node stand in KEYS before those of the operations, and how many words in ARGV. */
export const NODE_KEYS = 3;
export const FIXED_WORDS = 3;
/** The number that answers for all operations if all went as usual: the clock of the node, in ms, times this, plus the number of operations. */
export const CLOCK_FACTOR = 1_024;

/**
 * Runs a list of operations in order, each on its own: the error of one is its answer. The bytes are the same for all nodes but for the run.
 *
 * KEYS
 *     1    the mark that somebody waits on this node; without it, nobody looks for a queue
 *     2    the marker of trust
 *     3    the fence counters, a hash
 *     4..  the key of each operation
 * ARGV
 *     1    the private channel of the process
 *     2    the longest ttl that anyone may ask for, ms
 *     3    the check of the node: 'n' none, 'c' before it votes, 'd' and the ms since its clock was changed
 *     4..  for each operation a letter and its words:
 *          A value field arrival ttl proposal count   asks for a vote; `arrival` is '' for a single attempt
 *          a value field arrival  the same, with the ttl, proposal and count of the vote before it
 *          B .. fingerprint ttl   an A that opens the record with the vote if nothing stands there: see records.lua.ts
 *          R value                releases
 *          L value                the same, and leaves the queue
 *          N value                the same; an A for this key follows in this call
 *          D value arrival deposit    the same, and stands in the queue again with this deposit
 *          E value ttl            extends, but makes no shorter
 *          K value ttl            keeps the resource for `ttl` ms, under a value that nobody releases
 *          F value token field    raises the fence counter
 *          O, S, P, C, W and X are for records, with up to 5 words: see records.lua.ts
 *     last the run of the node as this connection knows it, or '-'
 *
 * Answers with one number if all went as usual: the clock of the node, in ms, times 1024, and the number of operations. Otherwise with the clock and
 * one answer for each operation:
 *     1                  as usual: a vote with the proposed token while nobody else waits; released, extended, raised
 *     0 and 2            no such value here; another one
 *     {v ..}, {o ..}, {p ..}, {s}   of a record
 *     {k}                nothing is to be done under the lock: there is a record
 *     {g token oldest}   a vote        {h ms owner} held        {q ms} in quarantine        {r why} refused        {! error}
 */
export const SCRIPT = `
local call, try = redis.call, redis.pcall
local KEYS, ARGV = KEYS, ARGV
local fences, me, max_ttl, check = KEYS[3], ARGV[1], tonumber(ARGV[2]), ARGV[3]
-- Microseconds by which tokens may be off the clock of the node.
local furthest = max_ttl * 500
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local quarantine
if check ~= 'n' then
${TRUST}
end
local waits = call('EXISTS', KEYS[1]) == 1
-- Of the latest A or B. 'last' is the last of its tokens; 'is_allowed' says whether the node may vote for them.
local ttl, proposal, size, token, last, is_allowed
local at, answers, in_full, of_record = ${FIXED_WORDS + 1}
local function on_record(op, key, at)
  of_record = of_record or (function()
${RECORDS}
  end)()
  local is_done, told = pcall(of_record, op, key, at)
  return is_done and told or {'!', type(told) == 'table' and told.err or tostring(told)}
end
for k = ${NODE_KEYS + 1}, #KEYS do
  local key, op, value, words = KEYS[k], ARGV[at], ARGV[at + 1], 3
  local opens, is_release, answer = op == 'B', op == 'R' or op == 'L' or op == 'N' or op == 'D'
  if op == 'A' or opens then
    words, ttl, proposal, size = opens and 9 or 7, ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]
    token = tonumber(proposal)
    last = size == '1' and proposal or string.format('%.0f', token + size - 1)
    is_allowed = not quarantine and token < now + furthest and token > now - furthest and tonumber(ttl) <= max_ttl
    if opens and try('HEXISTS', key .. '${RESERVED.reply}', 'v') == 1 then answer = {'k'} end
    op = 'a'
  elseif op == 'a' or op == 'D' or op == 'F' then
    words = 4
  elseif is_release then
    words = 2
  elseif op == 'O' then
    words = 5
  elseif op == 'S' then
    words = 6
  end
  if answer then -- a record says that nothing is to be done under the lock
  elseif op == 'E' or op == 'K' then
    local owner = try('GET', key)
    answer = owner == value and 1 or owner and 2 or 0
    if answer == 1 and op == 'K' then call('SET', key, value .. '.kept', 'PX', ARGV[at + 2])
    elseif answer == 1 and call('PTTL', key) < tonumber(ARGV[at + 2]) then call('PEXPIRE', key, ARGV[at + 2]) end
  elseif op == 'F' then
    local counter = tonumber(call('HGET', fences, ARGV[at + 3])) or 0
    if counter < tonumber(ARGV[at + 2]) then call('HSET', fences, ARGV[at + 3], ARGV[at + 2]) end
    answer = try('GET', key) == value and 1 or 0
  elseif op ~= 'a' and not is_release then
    answer = on_record(op, key, at)
  -- The short way, for what is usual: it does what acquire and release do in full if nobody waits and the counter is behind.
  elseif not waits or call('EXISTS', key .. '${RESERVED.queue}') == 0 then
    if op == 'a' then
      local field = ARGV[at + 2]
      if is_allowed and (tonumber(call('HGET', fences, field)) or 0) < token then
        local set = try('SET', key, value, 'NX', 'PX', ttl)
        if set and set.ok then
          call('HSET', fences, field, last)
          answer = 1
        elseif set and set.err then
          answer = {'!', set.err}
        end
      end
    elseif op ~= 'D' then -- a release without a place
      answer = value ~= '' and try('GET', key) == value and call('DEL', key) or 0
    end
  end
  if not answer then
    in_full = in_full or (function()
${QUEUE}
    end)()
    local is_done, told = pcall(in_full, op, key, at)
    answer = is_done and told or {'!', type(told) == 'table' and told.err or tostring(told)}
  end
  if opens and answer == 1 and on_record('B', key .. '${RESERVED.reply}', at) ~= 1 then answer = {'g', proposal, ''} end
  if answer ~= 1 and not answers then
    answers = {0}
    for i = 2, k - ${NODE_KEYS} do answers[i] = 1 end
  end
  if answers then answers[k - ${NODE_KEYS} + 1] = answer end
  at = at + words
end
local clock = (now - now % 1000) / 1000
if not answers then return clock * ${CLOCK_FACTOR} + #KEYS - ${NODE_KEYS} end
answers[1] = clock
return answers
`;

export const SHA = createHash('sha1').update(SCRIPT).digest('hex');
