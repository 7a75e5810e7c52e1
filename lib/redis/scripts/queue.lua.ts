import { RESERVED } from '../../engine/resources.js';

/** Ms for which a queue is kept although nobody in it asks again. */
export const QUEUE_LASTS = 60_000;
/** Ms: the mark that somebody waits outlives every queue. */
const MARK_LASTS = QUEUE_LASTS + 2_000;

/**
 * A vote and a release in full, for what is not usual: if somebody waits for the resource, has it, or the counters are ahead. The functions are made only
 * if they are needed, since a script takes longer to make a function than to run a command.
 *
 * The queue of a resource is a sorted set of channels by arrival, and a hash of what each of them has left: the deposit "value ttl count proposal
 * field". To serve a place, the node votes for its deposit and publishes "value token oldest clock key" on its channel, with its clock in ms.
 */
export const QUEUE = `
  local is_marked = false
  local function owner_of(key)
    local owner = try('GET', key)
    if type(owner) == 'table' then return '?' end
    return owner
  end
  local function oldest_in(key)
    return waits and call('ZRANGE', key .. '${RESERVED.queue}', 0, 0, 'WITHSCORES')[2] or ''
  end
  local function leave(key)
    if not waits then return end
    call('ZREM', key .. '${RESERVED.queue}', me)
    call('HDEL', key .. '${RESERVED.places}', me)
  end
  -- The deposit comes first: a place without one could not be served.
  local function stand(key, arrival, deposit)
    call('HSET', key .. '${RESERVED.places}', me, deposit)
    call('ZADD', key .. '${RESERVED.queue}', arrival, me)
    call('PEXPIRE', key .. '${RESERVED.places}', ${QUEUE_LASTS})
    call('PEXPIRE', key .. '${RESERVED.queue}', ${QUEUE_LASTS})
    if not is_marked then call('SET', KEYS[1], '1', 'PX', ${MARK_LASTS}) end
    is_marked, waits = true, true
  end
  local function token_for(proposal, field)
    return math.max(tonumber(proposal), (tonumber(call('HGET', fences, field)) or 0) + 1)
  end
  local function is_off(token)
    return token > now + furthest or token < now - furthest
  end
  local function count(token, size, field)
    call('HSET', fences, field, string.format('%.0f', token + size - 1))
    return string.format('%.0f', token)
  end
  -- Gives the resource to the first living place; returns whether it did: not if that is the one that asks, or nobody waits.
  local function serve(key, asking)
    while waits do
      local head = call('ZPOPMIN', key .. '${RESERVED.queue}')[1]
      if not head then return false end
      local deposit = call('HGET', key .. '${RESERVED.places}', head)
      call('HDEL', key .. '${RESERVED.places}', head)
      if head == asking then return false end
      local value, ttl, size, proposal, field = string.match(deposit or '', '^(%S+) (%d+) (%d+) (%d+) (%S+)$')
      local token = value and token_for(proposal, field)
      if value and not is_off(token) and call('PUBSUB', 'NUMSUB', head)[2] > 0 then
        call('SET', key, value, 'PX', ttl)
        local first = count(token, size, field)
        local oldest = oldest_in(key)
        call('PUBLISH', head, value .. ' ' .. first .. ' ' .. (oldest == '' and '-' or oldest) .. ' ' .. string.format('%.0f', now / 1000) .. ' ' .. key)
        return true
      end
    end
    return false
  end
  local function acquire(key, at)
    local value, field, arrival = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
    if quarantine then return {'q', quarantine} end
    if tonumber(ttl) > max_ttl then return {'r', 'ttl'} end
    if is_off(token_for(proposal, field)) then return {'r', 'off'} end
    local owner = owner_of(key)
    if owner ~= value then
      if arrival ~= '' then
        local base, serial = string.match(value, '^(.*%.)(%d+)$')
        local next_value = base .. string.format('%.0f', serial + 1)
        stand(key, arrival, table.concat({next_value, ttl, size, proposal, field}, ' '))
      end
      if not owner and serve(key, arrival ~= '' and me) then owner = owner_of(key) end
      if owner then return {'h', call('PTTL', key), owner} end
    end
    if arrival ~= '' then leave(key) end
    if not owner then call('SET', key, value, 'PX', ttl)
    elseif call('PTTL', key) < tonumber(ttl) then call('PEXPIRE', key, ttl) end
    return {'g', count(token_for(proposal, field), size, field), oldest_in(key)}
  end
  local function release(op, key, at)
    local value = ARGV[at + 1]
    if op == 'L' then leave(key)
    elseif op == 'D' and not quarantine then stand(key, ARGV[at + 2], ARGV[at + 3]) end
    local gone = value ~= '' and owner_of(key) == value and call('DEL', key) or 0
    if op ~= 'N' and not quarantine and waits and call('EXISTS', key) == 0 then serve(key) end
    return gone
  end
  return function(op, key, at)
    if op == 'a' then return acquire(key, at) end
    return release(op, key, at)
  end
`;
