import { CHECK } from './protocol.js';

/**
 * The part of the batch script that asks the node which server it is. It runs inside the node, so that no client library or failover can
 * hide that the node may have forgotten locks, because it was restarted, emptied, restored from an old file, promoted or replaced. The
 * marker is "run|since|longest ttl", with `since` in microseconds on the node's clock. A client that finds no marker of this run, or one from
 * the future, writes a new one, and from then on the node does not vote for the longest ttl. Of different longest ttls the greatest counts,
 * even if the client that has it comes later.
 *
 * `INFO` takes longer than all the rest of the script. It is skipped where the marker names the run that `INFO` told the client on this very
 * connection. A proxy may hide a restart from a connection, but a new run does not know the script until some client sends it the text. With
 * the text the client names no run, so that this first call asks `INFO`. The marker is compared with the run by its beginning, which is quicker
 * than matching a pattern.
 *
 * Takes `marker`; sets `now`, in microseconds, and `quarantine`, the ms until the node votes: nil where it votes, -1 where nobody can tell.
 * It is text and not a Lua function, because making a function takes a script longer.
 */
export const TRUST_CHECK = `
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  if trust == '${CHECK.checkedVote}' or trust == '${CHECK.checkedLine}' then
    local run, known, since, kept = ARGV[#ARGV]
    if marker and string.find(marker, run, 1, true) == 1 then
      since, kept = string.match(marker, '^|(%d+)|(%d+)$', #run + 1)
      known = since and run
    end
    if not known then
      known, since, kept = string.match(marker or '', '^(%x+)|(%d+)|(%d+)$')
      local info = try('INFO', 'server')
      run = type(info) == 'string' and string.match(info, 'run_id:(%x+)')
    end
    since, kept = tonumber(since), kept == ARGV[5] and max_ttl or tonumber(kept)
    if run then
      local longest = kept and kept > max_ttl and kept or max_ttl
      local was_noted = known == run and since <= now
      if not was_noted then since = now end
      local left = since + longest * 1000 - now
      if left > 0 then quarantine = math.ceil(left / 1000) end
      if not was_noted or kept ~= longest then call('SET', KEYS[2], string.format('%s|%.0f|%d', run, since, longest)) end
    else
      quarantine = -1
    end
  end
`;

/**
 * A script of its own that puts the node into quarantine, since the moment from which on it must not vote: the client may have been able to say so
 * only later. A quarantine that began after that moment stays as it is. Where the marker cannot tell that - it is missing, from the
 * future or of another run - the quarantine begins now.
 * - KEYS 1: the trust marker.
 * - ARGV 1: the longest ttl, in ms. The greater one counts of this and the one in the marker.
 * - ARGV 2: how long ago that moment was, in ms.
 * - Answers 1.
 */
export const DISTRUST = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local known, since, kept = string.match(redis.call('GET', KEYS[1]) or '', '^(%x+)|(%d+)|(%d+)$')
since = known == run and tonumber(since) <= now and math.max(tonumber(since), now - ARGV[2] * 1000) or now
local longest = math.max(tonumber(ARGV[1]), tonumber(kept or 0))
redis.call('SET', KEYS[1], string.format('%s|%.0f|%d', run, since, longest))
return 1
`;
