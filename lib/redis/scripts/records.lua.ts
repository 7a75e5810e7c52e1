/**
 * The operations on records. The functions are made only if they are needed, since a script takes longer to make a function than to run a command.
 *
 *     O value token fingerprint ttl          opens: promises, and reads
 *     S value token fingerprint ttl record   settles
 *     P '' ''                                peeks
 *     C value token                          clears: nothing stands any more. The promise stays
 *     W value token                          withdraws: all is as if the attempt had never come, as far as the node remembers
 *     X '' ''                                forgets
 *
 * One hash for each record; a ballot is "token value", and a fingerprint is '' if there is none:
 *     p  the ballot with the promise     f  the fingerprint of the record, or else of the promise     n  attempts     o  when the latest came, ms
 *     q  the ballot before ('' if there was none, '-' if it is not known any more), and e its fingerprint
 *     b  the ballot of the record        v  the record
 *
 * Answers, besides 1 for what is usual and 0 for nothing to remove:
 *     {s} superseded     {o n q e} opened     {p p f n age pttl} a promise without a record     {v v b f pttl n age quarantined} a record
 */
export const RECORDS = `
  local ms = string.format('%.0f', (now - now % 1000) / 1000)
  -- Not by '<' for texts, which goes by the locale of the server.
  local function is_before(one, other)
    local token, value = string.match(one, '^(%d+) (.*)$')
    local token_2, value_2 = string.match(other, '^(%d+) (.*)$')
    token, token_2 = tonumber(token), tonumber(token_2)
    if token ~= token_2 then return token < token_2 end
    for i = 1, math.min(#value, #value_2) do
      local byte, byte_2 = string.byte(value, i), string.byte(value_2, i)
      if byte ~= byte_2 then return byte < byte_2 end
    end
    return #value < #value_2
  end
  local function get(key, field)
    return call('HGET', key, field) or ''
  end
  local function age_of(key)
    return math.max(0, ms - (call('HGET', key, 'o') or ms))
  end
  local function found(key, record)
    local n = call('HGET', key, 'n') or '1'
    if n == '0' then n = '1' end
    return {'v', record, get(key, 'b'), get(key, 'f'), call('PTTL', key), n, age_of(key), quarantine and 1 or 0}
  end
  local function open(key, at, ballot, promised)
    if promised and is_before(ballot, promised) then return {'s'} end
    local record = call('HGET', key, 'v')
    if record then
      call('HSET', key, 'p', ballot)
      return found(key, record)
    end
    local n, fingerprint, ttl = call('HGET', key, 'n') or '0', ARGV[at + 3], ARGV[at + 4]
    if n ~= '0' and promised == ballot then
      call('HSET', key, 'f', fingerprint)
    else
      n = string.format('%.0f', n + 1)
      call('HSET', key, 'q', promised or '', 'e', get(key, 'f'), 'p', ballot, 'f', fingerprint, 'n', n, 'o', ms)
    end
    if call('PTTL', key) < tonumber(ttl) then call('PEXPIRE', key, ttl) end
    if quarantine then return {'q', quarantine} end
    if n == '1' then return 1 end
    return {'o', n, get(key, 'q'), get(key, 'e')}
  end
  local function settle(key, at, ballot, promised)
    if promised and is_before(ballot, promised) then return {'s'} end
    call('HSET', key, 'p', ballot, 'b', ballot, 'f', ARGV[at + 3], 'v', ARGV[at + 5])
    call('PEXPIRE', key, ARGV[at + 4])
    return quarantine and {'q', quarantine} or 1
  end
  local function peek(key, promised)
    if quarantine then return {'q', quarantine} end
    if not promised then return 1 end
    local record = call('HGET', key, 'v')
    if record then return found(key, record) end
    if get(key, 'n') == '0' then return 1 end
    return {'p', promised, get(key, 'f'), get(key, 'n'), age_of(key), call('PTTL', key)}
  end
  return function(op, key, at)
    if op == 'X' then return call('DEL', key) end
    local ballot, promised = ARGV[at + 2] .. ' ' .. ARGV[at + 1], call('HGET', key, 'p')
    if op == 'O' then return open(key, at, ballot, promised) end
    if op == 'B' then return open(key, at + 4, proposal .. ' ' .. ARGV[at + 1], promised) end
    if op == 'S' then return settle(key, at, ballot, promised) end
    if op == 'P' then return peek(key, promised) end
    if promised ~= ballot or get(key, 'n') == '0' or call('HGET', key, 'v') then return 0 end
    if op == 'C' then
      call('HSET', key, 'n', '0', 'f', '', 'e', '')
      return 1
    end
    local before = get(key, 'q')
    if before == '' then return call('DEL', key) end
    local n = string.format('%.0f', get(key, 'n') - 1)
    call('HSET', key, 'p', before == '-' and promised or before, 'f', get(key, 'e'), 'n', n, 'q', '-', 'e', '')
    return 1
  end
`;
