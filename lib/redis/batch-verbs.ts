import { LINES_AND_FENCES } from './line-script.js';

/**
 * What the batch script does where its usual cases do not apply: the part of it that fills `verb`, a function for each letter,
 * which takes a key, a value and, for the small letters, all keys.
 */
export const BATCH_VERBS = `
${LINES_AND_FENCES}
local function check_ttl()
  if tonumber(ttl) > max_ttl then
    error({err = 'a ttl of ' .. ttl .. ' ms is above maxTtl, ' .. max_ttl .. ' ms'})
  end
end

local function refusal()
  if quarantine then
    extras = extras or {''}
    table.insert(extras, quarantine)
    return 'q'
  end
  check_ttl()
  if is_wrong then
    local apart = string.format('%.0f', math.abs(proposed - now) / 1000)
    error({err = 'the clocks of client and node are ' .. apart .. ' ms apart, more than half of maxTtl'})
  end
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

-- Also by an answer to what was asked first and arrives last a lease never gets shorter.
local function lengthen(key)
  if call('PTTL', key) < tonumber(ttl) then call('PEXPIRE', key, ttl) end
end

local function put_end_to(key)
  call('PEXPIRE', key, ttl)
end

local function extend(value, keys, change)
  check_ttl()
  local answer = 'x'
  for _, key in ipairs(keys) do
    local owner = #keys == 1 and call('GET', key) or #keys > 1 and redis.pcall('GET', key)
    if owner and owner ~= value then return 't' end
    if not owner then answer = 'm' end
  end
  if answer == 'x' then
    for _, key in ipairs(keys) do change(key) end
  end
  return answer
end

local verb = {}

function verb.A(key, value)
  local refused = refusal()
  if refused then return refused end
  if call('SET', key, value, 'NX', 'PX', ttl) then
    call('DEL', key)
    serve(key)
    if call('SET', key, value, 'NX', 'PX', ttl) then return granted({key}, true) end
  elseif call('GET', key) == value then
    lengthen(key)
    return granted({key})
  end
  return held(key)
end

function verb.W(key, value)
  local refused = refusal()
  if refused then return refused end
  local free, owner = call('SET', key, value, 'NX', 'PX', ttl), nil
  if not free then owner = call('GET', key) end
  if owner == value then
    lengthen(key)
    return granted({key})
  end
  local me = place(value)
  stand(key, me)
  if free then
    call('DEL', key)
    if serve(key, me) then
      call('SET', key, value, 'PX', ttl)
      return granted({key}, true)
    end
  end
  return held(key, owner)
end

function verb.E(key, value)
  return extend(value, {key}, lengthen)
end

function verb.K(key, value)
  return extend(value, {key}, put_end_to)
end

function verb.F(key, value)
  return verb.f(nil, value, {key})
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
  local refused = refusal()
  if refused then return refused end
  local is_new
  local longest, blocked
  for _, key in ipairs(keys) do
    local owner = call('GET', key)
    if not owner then
      serve(key)
      owner = call('GET', key)
    end
    is_new = is_new or not owner
    if owner and owner ~= value then
      local left = call('PTTL', key)
      if not blocked or left == -1 or (longest ~= -1 and left > longest) then longest, blocked = left, key end
    end
  end
  if blocked then return held(blocked) end
  for _, key in ipairs(keys) do
    if not call('SET', key, value, 'NX', 'PX', ttl) then lengthen(key) end
  end
  return granted(keys, is_new)
end

function verb.e(_, value, keys)
  return extend(value, keys, lengthen)
end

function verb.k(_, value, keys)
  return extend(value, keys, put_end_to)
end

function verb.f(_, value, keys)
  local answer = 'u'
  for _, key in ipairs(keys) do
    if fence_of(key) < proposed then count_fence(key, proposed) end
    if call('GET', key) ~= value then answer = 'n' end
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
