import { LINES_AND_FENCES } from './line-script.js';
import { ANSWER, DATA_OF_OTHERS, VERB } from './protocol.js';

/**
 * The operations that are rare or concern several resources. Their functions are made only when needed, because a script takes longer to make
 * functions than to run commands.
 */
const SELDOM = `
local function extend(changes)
  check_ttl()
  local answer = '${ANSWER.extended}'
  for k = at, at + size - 1 do
    local owner = owner_of(KEYS[k])
    if owner and owner ~= value then return '${ANSWER.taken}' end
    if not owner then answer = '${ANSWER.missing}' end
  end
  if answer == '${ANSWER.extended}' then
    for k = at, at + size - 1 do changes(KEYS[k]) end
  end
  return answer
end

local function acquire()
  if quarantine or is_refused then return refusal() end
  local owners, is_new, is_held = {}, false, false
  for k = at, at + size - 1 do
    local owner = owner_of(KEYS[k])
    owners[k], is_new, is_held = owner, is_new or not owner, is_held or owner and owner ~= value
  end
  if not is_held then check_token(first_token(at, size, is_new)) end
  is_new = false
  local longest, blocked
  for k = at, at + size - 1 do
    local owner = owners[k]
    if not owner and somebody_waits then
      serve(k)
      owner = call('GET', KEYS[k])
    end
    -- Perhaps a part of the same lock, which waited, was served just now.
    is_new = is_new or not owner
    if owner and owner ~= value then
      local left = call('PTTL', KEYS[k])
      if not blocked or longest ~= -1 and (left == -1 or left > longest) then longest, blocked = left, KEYS[k] end
    end
  end
  if blocked then return held(blocked) end
  local first = first_token(at, size, is_new)
  for k = at, at + size - 1 do
    if not call('SET', KEYS[k], value, 'NX', 'PX', ttl) then lengthen(KEYS[k]) end
  end
  return granted(at, size, first, is_new)
end

local function raise()
  local answer = '${ANSWER.raised}'
  check_token(proposed - extra_tokens)
  for k = at, at + size - 1 do
    if fence_of(k) < proposed then count_fence(k, proposed) end
    if owner_of(KEYS[k]) ~= value then answer = '${ANSWER.gone}' end
  end
  return answer
end

-- Tries all of them before it fails: what could not be given back is asked for again. Whether the next in line could be served does not
-- matter for that, as it asks again by itself.
local function release(serves)
  local answer, failure = '${ANSWER.gone}'
  for k = at, at + size - 1 do
    local done, given, is_free = pcall(delete, k, value)
    if not done then failure = failure or given end
    if given == '${ANSWER.released}' then answer = given end
    if serves and is_free then pcall(serve, k) end
  end
  if failure then error(failure, 0) end
  return answer
end

if letter == '${VERB.keep}' or letter == '${VERB.keepAll}' then return extend(function(key) call('PEXPIRE', key, ttl) end) end
if letter == '${VERB.extend}' or letter == '${VERB.extendAll}' then return extend(lengthen) end
if letter == '${VERB.raise}' or letter == '${VERB.raiseAll}' then return raise() end
if letter == '${VERB.acquireAll}' then return acquire() end
if letter == '${VERB.releaseAll}' then return release(true) end
if letter == '${VERB.makeRoomForAll}' then return release(false) end
`;

/**
 * The part of the batch script for everything but its usual cases. It returns one function for all letters, which takes a letter, the index
 * of the first resource in KEYS, the number of resources, and a value.
 */
export const BATCH_VERBS = `
${LINES_AND_FENCES}
-- Data of another type, such as the hash of another lock library, is held by somebody else for as long as it is there. Its type is
-- not asked for, since that would take one more right.
local function owner_of(key)
  local owner = try('GET', key)
  if type(owner) ~= 'table' then return owner end
  if sub(owner.err, 1, 9) ~= 'WRONGTYPE' then error(owner) end
  return '${DATA_OF_OTHERS}'
end

local function check_ttl()
  if tonumber(ttl) > max_ttl then
    error({err = 'a ttl of ' .. ttl .. ' ms is above maxTtl, ' .. max_ttl .. ' ms'})
  end
end

local function refusal()
  if quarantine then
    extras = extras or {''}
    extras[#extras + 1] = quarantine
    return '${ANSWER.quarantined}'
  end
  check_ttl()
  local apart = format('%.0f', math.abs(proposed - now) / 1000)
  error({err = 'the clocks of client and node are ' .. apart .. ' ms apart, more than half of maxTtl'})
end

local function held(key, owner, left)
  extras = extras or {''}
  extras[#extras + 1] = left or call('PTTL', key)
  extras[#extras + 1] = owner or owner_of(key) or ''
  return '${ANSWER.held}'
end

-- Deletes what the claim holds. Returns the answer, and whether nobody holds the resource now.
local function delete(at, value)
  local owner = owner_of(KEYS[at])
  if owner == value then call('DEL', KEYS[at]) end
  return owner == value and '${ANSWER.released}' or '${ANSWER.gone}', not owner or owner == value
end

local function give_back(at, value, serves)
  local answer, is_free = delete(at, value)
  if serves and is_free then serve(at) end
  return answer
end

-- A command that arrives late, behind a newer one, never makes a lease shorter.
local function lengthen(key)
  if call('PTTL', key) < tonumber(ttl) then call('PEXPIRE', key, ttl) end
end

return function(letter, at, size, value)
  local key = KEYS[at]
  if letter == '${VERB.release}' then return give_back(at, value, true) end
  if letter == '${VERB.releaseInLine}' or letter == '${VERB.makeRoom}' then
    if somebody_waits then call('ZREM', key .. line_suffix, member_of(value)) end
    return give_back(at, value, letter == '${VERB.releaseInLine}')
  end
  if letter == '${VERB.acquire}' or letter == '${VERB.wait}' then
    if quarantine or is_refused then return refusal() end
    local owner = owner_of(key)
    if owner == value then
      local first = check_token(first_token(at, 1, false))
      lengthen(key)
      return granted(at, 1, first)
    end
    -- An owner that could have no token now does not wait for one either.
    local first = not owner and check_token(first_token(at, 1, true))
    local me = letter == '${VERB.wait}' and member_of(value)
    if me then stand(key, me) end
    if owner then return held(key, owner) end
    local is_my_turn, other, left = serve(at, me)
    if me and not is_my_turn then return held(key, other, left) end
    -- Where serving gave the key to a waiter, an owner that does not stand in line finds it taken.
    if not call('SET', key, value, 'NX', 'PX', ttl) then return held(key, other, left) end
    return granted(at, 1, first, true)
  end
  if letter == '${VERB.yield}' then
    if owner_of(key) ~= value then return '${ANSWER.gone}' end
    local me, left = member_of(value), call('PTTL', key)
    local oldest = call('ZRANGE', key .. line_suffix, '0', '0', 'WITHSCORES')
    local score, mine = tonumber(oldest[2]), tonumber(arrival())
    if not score or score > mine or score == mine and oldest[1] >= me then return '${ANSWER.kept}' end
    stand(key, me)
    call('DEL', key)
    if not serve(at, me) then return '${ANSWER.passed}' end
    call('SET', key, value, 'PX', left)
    return '${ANSWER.kept}'
  end
${SELDOM}
end
`;
