/** What many libraries have in common (the Redis distributed-locks page). */
export const SET = 'SET key value NX PX ttl';
export const DELETE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
export const EXPIRE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
export const SET_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end return 0`;

/** Sets the key unless it is there. */
export const SET_WHERE_NONE = `if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

/** Sets the key also where it is the caller's, so that it takes and extends. */
export const SET_OWN_OR_NONE = `local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`;

/** A hash with the holder as its field. */
export const HASH_TAKE = `if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
export const HASH_EXTEND = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
export const HASH_RELEASE = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('DEL', KEYS[1])`;

/** A sorted set of holders by the end of their leases, with a mark of the client that writes. */
const DROP_ENDED = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('TYPE', KEYS[1]).ok == 'string' then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
`;
export const SET_OF_HOLDERS_TAKE = `${DROP_ENDED}
if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1], now + ARGV[2], '__write__')
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
export const SET_OF_HOLDERS_EXTEND = `${DROP_ENDED}
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1], now + ARGV[2], '__write__')
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
export const SET_OF_HOLDERS_RELEASE = `${DROP_ENDED}
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[1], '__write__')
return 1`;
