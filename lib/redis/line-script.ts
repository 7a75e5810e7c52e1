import { TOKENS_PER_VOTE } from '../core/fencing.js';
import { SIGN_OF_LIFE } from '../core/hand-off.js';
import { TRUST_CHECK } from './trust-script.js';

/** Ms: how long a line lasts without a sign of those who wait in it. */
export const LINE_KEPT = 2 * SIGN_OF_LIFE;

/** Ms: how long the mark lasts that somebody waits, so that it is written seldom, and never ends before a line. */
const MARK_KEPT = LINE_KEPT + 5_000;

/** In place of a fence counter that has not begun: the first vote comes with 1 at least. */
export const NO_FENCE = 1 - TOKENS_PER_VOTE;

/**
 * The part of the batch script that knows the lines of those who wait, and the fence counters. Resources go by where they are in
 * KEYS, since that leads to their counters too. Numbers that do not change are texts: Redis would print them with each call.
 */
export const LINES_AND_FENCES = `
local match, format = string.match, string.format
-- Who asks, and since when he waits; by the clock of the waiters, so that all nodes agree who is next, and by ours where
-- theirs is off by more than a second.
local channel, sent_at = match(ARGV[1], '^(.*) (%d+)$')
local ahead
local function ticket()
  if not ahead then
    local here = now
    if not here then
      local time = call('TIME')
      here = time[1] * 1000000 + time[2]
    end
    ahead = here - sent_at
    if math.abs(ahead) < 1000000 then ahead = 0 end
  end
  local arrived = match(terms, '%d+$')
  return ahead == 0 and arrived or format('%.0f', arrived + ahead)
end

local function place(value)
  return match(terms, '^%d+') .. ' ' .. value .. ' ' .. channel
end

local function fence_of(at)
  return tonumber(call('HGET', KEYS[3], sub(counters, 3 * at - 11, 3 * at - 9))) or ${NO_FENCE}
end

local function count_fence(at, fence)
  local word = format('%.0f', fence)
  call('HSET', KEYS[3], sub(counters, 3 * at - 11, 3 * at - 9), word)
  return word
end

-- When the oldest of those came who wait for it.
local function oldest(key)
  return somebody_waits and call('ZRANGE', key .. line_mark, '0', '0', 'WITHSCORES')[2] or '-'
end

-- With a vote that was asked for: above every earlier one of these keys, unless they were ours already.
local function granted(at, size, is_new)
  local fence, word = ${NO_FENCE}
  for k = at, at + size - 1 do fence = math.max(fence, fence_of(k)) end
  fence = math.max(proposed, is_new and fence + ${TOKENS_PER_VOTE} or fence)
  for k = at, at + size - 1 do word = count_fence(k, fence) end
  extras = extras or {''}
  extras[#extras + 1] = word .. ' ' .. (is_new and size == 1 and oldest(KEYS[at]) or '0')
  return 'g'
end

-- The first living waiter gets what is free; answers true where that is the one who asks, and else to whom it went, and for how
-- long. He proposes no token and gets the successor of what was there; and where that is old, as after a restart with an old
-- file, what was not reached before the restart, in steps so great that nodes agree on them.
local function serve(at, asking)
  local key = KEYS[at]
  local line = key .. line_mark
  if somebody_waits and not now then
    local marker = call('MGET', KEYS[2])[1]
${TRUST_CHECK}
  end
  while somebody_waits and not quarantine do
    local head = call('ZPOPMIN', line)
    if not head[1] then return false end
    if head[1] == asking then return true end
    local grace, value, channel = match(head[1], '^(%d+) (%S+) (.*)$')
    local step = max_ttl * 250
    local reached = math.ceil((now - 2 * step) / step) * step
    local fence = count_fence(at, math.max(fence_of(at) + ${TOKENS_PER_VOTE}, reached))
    local heard = try('PUBLISH', channel, value .. ' ' .. fence .. ' ' .. oldest(key) .. ' ' .. key)
    if type(heard) == 'table' then
      -- Not allowed to tell anybody: the line stays as it is and is served when its head asks.
      call('ZADD', line, head[2], head[1])
      call('PEXPIRE', line, '${LINE_KEPT}')
      return false
    end
    if heard > 0 then
      call('SET', key, value, 'PX', grace)
      return false, value, tonumber(grace)
    end
  end
  return false
end

local function stand(key, place)
  call('ZADD', key .. line_mark, 'NX', ticket(), place)
  call('PEXPIRE', key .. line_mark, '${LINE_KEPT}')
  local marked_until = tonumber(somebody_waits) or 0
  if not now or marked_until < now + ${LINE_KEPT * 1_000} then
    somebody_waits = format('%.0f', (now or 0) + ${MARK_KEPT * 1_000})
    call('SET', KEYS[1], somebody_waits, 'PX', '${MARK_KEPT}')
  end
end
`;
