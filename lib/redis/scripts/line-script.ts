import { outrun, TOKENS_PER_GRANT } from '../../core/port/fencing.js';
import { LONGEST_SILENCE_IN_LINE } from '../../core/port/claim.js';
import { ANSWER, counterAt, NOTHING } from './protocol.js';
import { TRUST_CHECK } from './trust-script.js';

/** Ms for which a line lasts while none of its waiters asks again. */
export const LINE_KEPT = 2 * LONGEST_SILENCE_IN_LINE;

/** Ms for which the mark that somebody waits lasts: longer than a line, so that it never ends before a line and is seldom written. */
const MARK_KEPT = LINE_KEPT + 5_000;

/** Why there is no vote whose token is so many ms ahead of the clock, as a format string of Lua. */
export const OUTRUN = outrun(0).replace(' 0 ', ' %.0f ');

/**
 * The part of the batch script that manages the lines of waiters and the fence counters. It names a resource by its index in KEYS, since that
 * index leads to the counter, too. Constant numbers are written as strings, which Redis would otherwise print with every call.
 */
export const LINES_AND_FENCES = `
local match, format = string.match, string.format
-- The channel of the process that asks; when it sent the batch, on its monotonic clock; what it proposes for the secret of the node.
-- A waiter says when it came on the clocks of the nodes, as its process knows them, so that all nodes agree who is next. If that is
-- half a second off or more, the process may not know the clocks yet: the node then computes the arrival on its own clock.
local channel, sent_at, proposed_secret = match(ARGV[1], '^(.*) (%d+) (%S+)$')
local function clock()
  if now then return now end
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

local here
local function arrival()
  local arrived, since = match(waiter_terms, ' (%d+) (%S*)$')
  if since == '' then return arrived end
  here = here or clock()
  local ours = here - sent_at + since
  return math.abs(ours - arrived) < 500000 and arrived or format('%.0f', ours)
end

-- What a waiter is in the sorted set of its line.
local function member_of(value)
  return match(waiter_terms, '^%d+') .. ' ' .. value .. ' ' .. channel
end

local function fence_of(at)
  return tonumber(call('HGET', KEYS[3], ${counterAt('at')})) or 0
end

local function count_fence(at, fence)
  call('HSET', KEYS[3], ${counterAt('at')}, format('%.0f', fence))
end

local function is_too_far(token)
  return token > clock() + furthest
end

local function check_token(first)
  if is_too_far(first) then error({err = format('${OUTRUN}', (first - clock()) / 1000)}) end
  return first
end

-- The first token of a vote: above every earlier one of these keys. Where the claim has them already, it is the first token again
-- that came with that vote: with 63 extra tokens and the counter at 163, it is 100.
local function first_token(at, size, is_new)
  local first = proposed
  for k = at, at + size - 1 do first = math.max(first, fence_of(k) - (is_new and -1 or extra_tokens)) end
  return first
end

-- When the oldest waiter of this key came.
local function oldest(key)
  return somebody_waits and call('ZRANGE', key .. line_suffix, '0', '0', 'WITHSCORES')[2] or '${NOTHING}'
end

-- Answers that the claim has the vote which it asked for, and counts its tokens.
local function granted(at, size, first, is_new)
  for k = at, at + size - 1 do count_fence(k, math.max(fence_of(k), first + extra_tokens)) end
  extras = extras or {''}
  extras[#extras + 1] = format('%.0f ', first) .. (is_new and size == 1 and oldest(KEYS[at]) or '0')
  return '${ANSWER.granted}'
end

-- The waiting mark says until when it lasts, and the secret by which the node signs grants.
local function words_of_mark()
  return match(waiting_mark or '', '^(%d+) (%x+)$')
end

-- Gives what is free to the first waiter that is alive. Returns true if that is the waiter who asks. Returns false, the owner and
-- the ttl if it is another one, and false alone if there is none. The waiter proposed no token, so it gets the counter plus 1. But
-- a node that restarted with an old file may have lost its latest counters: so the token is at least a time which they had not
-- reached, in steps of a quarter of maxTtl, so great that the nodes agree on them.
local function serve(at, asking)
  local key = KEYS[at]
  local line = key .. line_suffix
  if somebody_waits and not now then
    local notes = call('MGET', KEYS[1], KEYS[2])
    waiting_mark = notes[1]
    somebody_waits = waiting_mark and true
    local marker = notes[2]
    -- Takes 'marker'; sets 'now' and 'quarantine'.
${TRUST_CHECK}
  end
  while somebody_waits and not quarantine do
    local head = call('ZPOPMIN', line)
    if not head[1] then return false end
    if head[1] == asking then return true end
    local lasts, value, channel = match(head[1], '^(%d+) (%S+) (.*)$')
    -- Counts only those who subscribed to this very channel: a monitoring tool that listens to all would make the dead look alive.
    local listening = try('PUBSUB', 'NUMSUB', channel)
    -- Where it is not permitted to ask, the message itself tells whether somebody listens.
    if (listening[2] or 1) > 0 then
      local step = max_ttl * 250
      local reached = math.ceil((now - 2 * step) / step) * step
      local fence = math.max(fence_of(at) + 1, reached)
      local grant = value .. format(' %.0f@%.0f ', fence, (now - now % 1000) / 1000) .. oldest(key) .. ' ' .. key
      -- Others may publish, too, but do not know what only this node and its clients do.
      local known = select(2, words_of_mark()) or ''
      local signature = redis.sha1hex(known .. ' ' .. grant .. ' ' .. known)
      local receivers
      if not is_too_far(fence) then
        -- Written before it is published: a client whose user may not write must not tell a waiter of a grant that does not exist.
        count_fence(at, fence + ${TOKENS_PER_GRANT - 1})
        call('SET', key, value, 'PX', lasts)
        receivers = try('PUBLISH', channel, signature .. ' ' .. grant)
        if type(receivers) == 'number' and receivers > 0 then return false, value, tonumber(lasts) end
        call('DEL', key)
      end
      if type(receivers) ~= 'number' then
        -- That waiter can have no token, or the node may not publish: the line stays as it is, and is served when its first waiter asks.
        call('ZADD', line, head[2], head[1])
        call('PEXPIRE', line, '${LINE_KEPT}')
        return false
      end
    end
    -- Nobody listens: the waiter is dead, and stays out of the line.
  end
  return false
end

local function stand(key, me)
  call('ZADD', key .. line_suffix, 'NX', arrival(), me)
  call('PEXPIRE', key .. line_suffix, '${LINE_KEPT}')
  if somebody_waits and not waiting_mark then waiting_mark = call('GET', KEYS[1]) end
  local marked_until, known = words_of_mark()
  -- The first client proposes one secret to all nodes. Each node makes its own of it, so that a grant of one node is not valid for another.
  secret = known or redis.sha1hex(format('%s %s %.0f', proposed_secret, ARGV[#ARGV], clock()))
  if not now or not known or tonumber(marked_until) < now + ${LINE_KEPT * 1_000} then
    waiting_mark = format('%.0f ', (now or 0) + ${MARK_KEPT * 1_000}) .. secret
    call('SET', KEYS[1], waiting_mark, 'PX', '${MARK_KEPT}')
  end
  somebody_waits = true
end
`;
