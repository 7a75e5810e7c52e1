import { SIGN_OF_LIFE } from '../core/hand-off.js';

/** Ms: how long a line lasts without a sign of those who wait in it. */
export const LINE_KEPT = 2 * SIGN_OF_LIFE;

/**
 * What the batch script does where its usual cases do not apply: the part of it that fills `verb`, a function for each letter,
 * which takes a key, a value and, for the small letters, all keys.
 */
export const BATCH_VERBS = `
local function line_of(key)
  return key .. '~waiters'
end

local function nobody_waits_for(key)
  return not somebody_waits or call('EXISTS', line_of(key)) == 0
end

-- Who asks, and since when he waits; by the clock of the waiters, so that all nodes agree who is next, and by ours where
-- theirs is off by more than a second.
local channel, clock = string.match(ARGV[1], '^(.*) (%d+)$')
local ahead, marked
local function ticket()
  if not ahead then
    local time = call('TIME')
    ahead = time[1] * 1000000 + time[2] - clock
    if math.abs(ahead) < 1000000 then ahead = 0 end
  end
  return string.match(terms, '%d+$') + ahead
end

local function place(value)
  return string.match(terms, '^%d+') .. ' ' .. value .. ' ' .. channel
end

-- The first living waiter gets what is free; answers true where that is the one who asks.
local function serve(key, asking)
  local line = line_of(key)
  while somebody_waits do
    local head = call('ZPOPMIN', line)
    if not head[1] then return false end
    if head[1] == asking then return true end
    local grace, value, channel = string.match(head[1], '^(%d+) (%S+) (.*)$')
    local heard = redis.pcall('PUBLISH', channel, value .. ' ' .. key)
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

local function held(key, owner)
  extras = extras or {''}
  table.insert(extras, call('PTTL', key))
  table.insert(extras, owner or call('GET', key) or '')
  return 'h'
end

local function give_back(key, value, serves)
  local owner = call('GET', key)
  if owner == value then call('DEL', key) end
  if serves and (not owner or owner == value) then serve(key) end
  return owner == value and 'd' or 'n'
end

local verb = {}

function verb.A(key, value)
  if call('SET', key, value, 'NX', 'PX', ttl) then
    if nobody_waits_for(key) then return 'g' end
    call('DEL', key)
    serve(key)
    if call('SET', key, value, 'NX', 'PX', ttl) then return 'g' end
  elseif call('GET', key) == value then
    call('PEXPIRE', key, ttl)
    return 'g'
  end
  return held(key)
end

function verb.W(key, value)
  local free, owner = call('SET', key, value, 'NX', 'PX', ttl), nil
  if free and nobody_waits_for(key) then return 'g' end
  if not free then owner = call('GET', key) end
  if owner == value then
    call('PEXPIRE', key, ttl)
    return 'g'
  end
  local me = place(value)
  stand(key, me)
  if free then
    call('DEL', key)
    if serve(key, me) then
      call('SET', key, value, 'PX', ttl)
      return 'g'
    end
  end
  return held(key, owner)
end

function verb.E(key, value)
  local owner = call('GET', key)
  if not owner then return 'm' end
  if owner ~= value then return 't' end
  call('PEXPIRE', key, ttl)
  return 'x'
end

function verb.R(key, value)
  return give_back(key, value, true)
end

function verb.L(key, value)
  if somebody_waits then call('ZREM', line_of(key), place(value)) end
  return give_back(key, value, true)
end

function verb.S(key, value)
  if somebody_waits then call('ZREM', line_of(key), place(value)) end
  return give_back(key, value, false)
end

function verb.Y(key, value)
  if call('GET', key) ~= value then return 'n' end
  local me, left = place(value), call('PTTL', key)
  local oldest = call('ZRANGE', line_of(key), 0, 0, 'WITHSCORES')
  local score, mine = tonumber(oldest[2]), ticket()
  if not score or score > mine or score == mine and oldest[1] >= me then return 'k' end
  stand(key, me)
  call('DEL', key)
  if not serve(key, me) then return 'p' end
  call('SET', key, value, 'PX', left)
  return 'k'
end

function verb.a(_, value, keys)
  local longest, blocked
  for _, key in ipairs(keys) do
    local owner = call('GET', key)
    if not owner then
      serve(key)
      owner = call('GET', key)
    end
    if owner and owner ~= value then
      local left = call('PTTL', key)
      if not blocked or left == -1 or (longest ~= -1 and left > longest) then longest, blocked = left, key end
    end
  end
  if blocked then return held(blocked) end
  for _, key in ipairs(keys) do call('SET', key, value, 'PX', ttl) end
  return 'g'
end

function verb.e(_, value, keys)
  local answer = 'x'
  for _, key in ipairs(keys) do
    local owner = redis.pcall('GET', key)
    if owner and owner ~= value then return 't' end
    if not owner then answer = 'm' end
  end
  if answer == 'x' then
    for _, key in ipairs(keys) do call('PEXPIRE', key, ttl) end
  end
  return answer
end

function verb.r(_, value, keys)
  local answer = 'n'
  for _, key in ipairs(keys) do
    local done, given = pcall(give_back, key, value, true)
    if done and given == 'd' then answer = 'd' end
  end
  return answer
end
`;
