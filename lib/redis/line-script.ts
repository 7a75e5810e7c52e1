import { TOKENS_PER_VOTE } from '../core/fencing.js';
import { SIGN_OF_LIFE } from '../core/hand-off.js';
import { TRUST_CHECK } from './trust-script.js';

/** Ms: how long a line lasts without a sign of those who wait in it. */
export const LINE_KEPT = 2 * SIGN_OF_LIFE;

/** In place of a fence counter that has not begun: the first vote comes with 1 at least. */
export const NO_FENCE = 1 - TOKENS_PER_VOTE;

/** The part of the batch script that knows the lines of those who wait, and the fence counters. */
export const LINES_AND_FENCES = `
local function line_of(key)
  return key .. line_mark
end

-- Who asks, and since when he waits; by the clock of the waiters, so that all nodes agree who is next, and by ours where
-- theirs is off by more than a second.
local channel, sent_at = string.match(ARGV[1], '^(.*) (%d+)$')
local ahead, marked
local function ticket()
  if not ahead then
    local time = call('TIME')
    ahead = time[1] * 1000000 + time[2] - sent_at
    if math.abs(ahead) < 1000000 then ahead = 0 end
  end
  return string.match(terms, '%d+$') + ahead
end

local function place(value)
  return string.match(terms, '^%d+') .. ' ' .. value .. ' ' .. channel
end

local counter_of
local function counter(key)
  if not counter_of then
    counter_of = {}
    for k = 4, #KEYS do counter_of[KEYS[k]] = string.sub(counters, 3 * k - 11, 3 * k - 9) end
  end
  return counter_of[key]
end

local function fence_of(key)
  return tonumber(call('HGET', KEYS[3], counter(key)) or '') or ${NO_FENCE}
end

local function count_fence(key, fence)
  call('HSET', KEYS[3], counter(key), string.format('%.0f', fence))
end

-- When the oldest of those came who wait for it.
local function oldest(key)
  return somebody_waits and call('ZRANGE', line_of(key), 0, 0, 'WITHSCORES')[2] or '-'
end

-- With a vote that was asked for: above every earlier one of these keys, unless they were ours already.
local function granted(keys, is_new)
  local highest = ${NO_FENCE}
  for _, key in ipairs(keys) do highest = math.max(highest, fence_of(key)) end
  local fence = math.max(proposed, is_new and highest + ${TOKENS_PER_VOTE} or highest)
  for _, key in ipairs(keys) do count_fence(key, fence) end
  extras = extras or {''}
  table.insert(extras, string.format('%.0f ', fence) .. (is_new and #keys == 1 and oldest(keys[1]) or '0'))
  return 'g'
end

-- For whoever is next in line, who proposes nothing: the successor of what was there; and where that is old, as after a restart
-- with an old file, what was not reached before the restart, in steps so great that nodes agree on them.
local function succeed(key)
  local step = max_ttl * 250
  local fence = math.max(fence_of(key) + ${TOKENS_PER_VOTE}, math.ceil((now - 2 * step) / step) * step)
  count_fence(key, fence)
  return string.format('%.0f', fence)
end

-- The first living waiter gets what is free; answers true where that is the one who asks.
local function serve(key, asking)
  local line = line_of(key)
  if somebody_waits and not now then
    local marker = call('MGET', KEYS[2])[1]
${TRUST_CHECK}
  end
  while somebody_waits and not quarantine do
    local head = call('ZPOPMIN', line)
    if not head[1] then return false end
    if head[1] == asking then return true end
    local grace, value, channel = string.match(head[1], '^(%d+) (%S+) (.*)$')
    local fence = succeed(key)
    local heard = redis.pcall('PUBLISH', channel, value .. ' ' .. fence .. ' ' .. oldest(key) .. ' ' .. key)
    if type(heard) == 'table' then
      -- Not allowed to tell anybody: the line stays as it is and is served when its head asks.
      call('ZADD', line, head[2], head[1])
      call('PEXPIRE', line, ${LINE_KEPT})
      return false
    end
    if heard > 0 then
      call('SET', key, value, 'PX', grace)
      return false
    end
  end
  return false
end

local function stand(key, place)
  call('ZADD', line_of(key), 'NX', string.format('%.0f', ticket()), place)
  call('PEXPIRE', line_of(key), ${LINE_KEPT})
  if not marked then call('SET', KEYS[1], 1, 'PX', ${LINE_KEPT}) end
  marked, somebody_waits = true, true
end
`;
