/**
 * The part of the batch script that asks the node who it is, so that no client library, proxy or failover can hide that it may
 * have forgotten locks: restarted, emptied, restored from an old file, promoted or replaced. Its marker is
 * "run|since|longest ttl", `since` in microseconds on the node's clock; a client that finds none of this run, or one from the future,
 * writes it, and from then on the node does not vote for the longest ttl. Of different longest ttls the greatest counts, also
 * where who has it comes later.
 *
 * `INFO` takes longer than all the rest, and is spared where the marker is of the run that the client was told of by INFO on this
 * very connection. A proxy that hides a restart from a connection cannot hide it from the script: a new run knows no
 * script before it was sent the text, and with that no run is claimed, so that the first call asks. Such a marker begins with the
 * run that is claimed, which is quicker to see than what a pattern finds.
 *
 * Takes `marker`, and fills `now`, microseconds, and `quarantine`, the ms until the node votes; nil where it does, -1 where
 * nobody can tell.
 */
export const TRUST_CHECK = `
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  if trust == 'c' or trust == 'C' then
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

/** Has the node distrusted as from now, with the marker's key and the longest ttl. */
export const DISTRUST = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local time = redis.call('TIME')
local kept = string.match(redis.call('GET', KEYS[1]) or '', '|(%d+)$')
local longest = math.max(tonumber(ARGV[1]), tonumber(kept or 0))
redis.call('SET', KEYS[1], string.format('%s|%.0f|%d', run, time[1] * 1000000 + time[2], longest))
return 1
`;
