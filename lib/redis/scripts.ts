import { createHash } from 'node:crypto';

/** A Lua script and the name under which a node caches it. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
}

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/**
 * KEYS: the resources. ARGV: value, ttl in ms. Takes all or none and answers {1}, or {0, ms left, owner} for the key that is
 * held longest. A key that already has our value is ours: a command that is sent twice takes once.
 */
export const ACQUIRE = script(`
local owner, longest
for _, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if value and value ~= ARGV[1] then
    local left = redis.call('PTTL', key)
    if not owner or left == -1 or (longest ~= -1 and left > longest) then owner, longest = value, left end
  end
end
if owner then return {0, longest, owner} end
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
return {1}
`);

/** KEYS: the resources. ARGV: value, ttl in ms. Answers 1 where all keys were ours and now last for the ttl, 0 where one is missing, -1 where one is another's. */
export const EXTEND = script(`
local result = 1
for _, key in ipairs(KEYS) do
  local value = redis.pcall('GET', key)
  if value and value ~= ARGV[1] then return -1 end
  if not value then result = 0 end
end
if result == 1 then
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2]) end
end
return result
`);

/** KEYS: the resources. ARGV: value. Compare-and-delete (the Redis distributed-locks page); answers how many keys were ours. */
export const RELEASE = script(`
local deleted = 0
for _, key in ipairs(KEYS) do
  if redis.pcall('GET', key) == ARGV[1] then deleted = deleted + redis.call('DEL', key) end
end
return deleted
`);

export const SCRIPTS: readonly Script[] = [ACQUIRE, EXTEND, RELEASE];
