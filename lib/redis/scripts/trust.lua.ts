/**
 * Asks the node which server it is: from inside, so that no client library or failover can hide that it may have forgotten locks, because it was
 * restarted, emptied, restored from an old file, promoted or replaced. The marker is "run|since|longest ttl", with `since` in microseconds on the
 * clock of the node. A client that finds no marker of this run, or one from the future, writes a new one, and from then on the node does not vote
 * for the longest ttl. Of different longest ttls the greatest counts.
 *
 * `INFO` takes longer than all the rest. It is skipped if the marker names the run that `INFO` told the client on this very connection. A proxy may
 * hide a restart from a connection, but a new run does not know the script until some client sends it the text, and that call names no run.
 *
 * Takes `check`: 'c', or 'd' and the ms since the clock of the node was changed, as the client noticed. Sets `quarantine`, the ms until the node
 * votes: nil if it votes, -1 if nobody can tell.
 */
export const TRUST = `
  local marker, run, known, since, kept = call('GET', KEYS[2]), ARGV[#ARGV]
  if marker and string.find(marker, run .. '|', 1, true) == 1 then
    since, kept = string.match(marker, '^|(%d+)|(%d+)$', #run + 1)
    known = since and run
  end
  if not known then
    known, since, kept = string.match(marker or '', '^(%x+)|(%d+)|(%d+)$')
    local info = try('INFO', 'server')
    run = type(info) == 'string' and string.match(info, 'run_id:(%x+)')
  end
  since, kept = tonumber(since), tonumber(kept)
  if run then
    local longest = kept and kept > max_ttl and kept or max_ttl
    local begin = known == run and since <= now and since or now
    if check ~= 'c' then begin = math.max(begin, now - tonumber(string.sub(check, 2)) * 1000) end
    local left = begin + longest * 1000 - now
    if left > 0 then quarantine = math.ceil(left / 1000) end
    if known ~= run or begin ~= since or kept ~= longest then
      call('SET', KEYS[2], string.format('%s|%.0f|%d', run, begin, longest))
    end
  else
    quarantine = -1
  end
`;
