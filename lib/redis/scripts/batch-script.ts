import { createHash } from 'node:crypto';
import { FAMILIES } from '../../core/port/key-families.js';
import { BATCH_VERBS } from './batch-verbs.js';
import { COUNT_VOTES } from './votes-script.js';
import {
  ANSWER,
  BYTE,
  CHECK,
  CLOCK_FACTOR,
  counterAt,
  FIXED_WORDS,
  LAST_SINGLE_BYTE,
  NODE_KEYS,
  VALUE_LENGTH,
} from './protocol.js';
import { TRUST_CHECK } from './trust-script.js';

/**
 * Runs a batch of operations in order, each on its own: the error of one operation is its answer, and does not touch the others. The
 * letters of operations and answers are those of `protocol.ts`.
 *
 * KEYS
 *     1    the waiting mark: somebody waits on this node; with the secret by which the node signs grants
 *     2    the marker of the node's trust: see `trust-script.ts`
 *     3    the fence counters, a hash
 *     4..  the resources of all operations
 * ARGV
 *     1    "channel clock secret": the private channel of the process that asks, its monotonic clock in microseconds, and something
 *          that nobody else knows
 *     2    one letter for the check of the node, and then one for each operation
 *     3    the values of the operations, 27 characters each
 *     4    which counter counts for each resource, 3 characters each
 *     5    the longest ttl that anyone may ask for, ms
 *     6..  the words that some letters take, in order
 *     last the run of the node as this connection knows it, or "-"
 *
 * Answers with the number of operations where all of them went as usual. Otherwise it answers with one letter for each, followed by
 * the words that some of these letters come with. Where trust was checked, the clock of the node comes along, in ms: 1024 times added
 * to the number, or as the last word. Where anybody was put in line, the last word but one is the secret of the node, as an array of its
 * own, and the last one its clock, 0 where that is not known.
 *
 * The line of a resource is a sorted set of "ttl value channel" by the time of arrival. To serve a waiter, the node sets
 * the key to the waiter's value for the waiter's ttl, and publishes "signature value fence@clock oldest key" on the waiter's channel. A
 * waiter whose channel nobody listens to is skipped. While nobody waits for anything, there is no mark on the node, and no operation
 * looks for a line; while somebody waits, only the keys that have a line take the longer way.
 *
 * The fence counters outlive all locks. They are fields of one hash, a few resources to each, and hold the last token that was given
 * away. A vote comes with the greater of what is proposed and the token after that. Two votes are refused: where the clocks of client
 * and node are apart by half of the longest ttl, since a clock that was set could drag the tokens of all others with it; and
 * where the token would be further than that ahead of the node's clock, since tokens begin at the clock after a node has lost its
 * memory.
 */
export const BATCH_SCRIPT = `
-- Local names are quicker than globals, and these are used often.
local call, try, byte, sub = redis.call, redis.pcall, string.byte, string.sub
local KEYS, ARGV = KEYS, ARGV
local verbs, values, counters = ARGV[2], ARGV[3], ARGV[4]
local key_at, word_at, value_at = ${NODE_KEYS}, ${FIXED_WORDS}, 1
local ttl, waiter_terms, proposal, proposed, extra_tokens, value, in_full, answers, extras
local count, is_refused = 0, false
-- What follows a key in the name of its line.
local line_suffix = '${FAMILIES.line}'
local max_ttl, trust = tonumber(ARGV[5]), sub(verbs, 1, 1)
-- Microseconds by which tokens may be off the clock of the node.
local furthest = max_ttl * 500
-- What the check of trust finds out: the clock of the node, in microseconds, nil until the check; and the ms until the node votes.
local now, quarantine
-- Whether somebody waits: nil until an operation needs to know it, or the waiting mark was read for another reason. The mark itself
-- is set only if it was read.
local somebody_waits, waiting_mark
-- The secret with which the node signs grants. It is set if this batch puts a claim in line, because the waiter has to know it.
local secret
if trust == '${CHECK.checkedVote}' or trust == '${CHECK.uncheckedVote}' then
  local notes = call('MGET', KEYS[1], KEYS[2])
  waiting_mark = notes[1]
  somebody_waits = waiting_mark and true
  local marker = notes[2]
  -- Takes 'marker'; sets 'now' and 'quarantine'.
${TRUST_CHECK}
end
-- How many operations were given a vote whose counter is still to be counted; the first of them with its counter, and all.
local voted, vote, field, vote_key, vote_value, votes, fields, vote_keys, vote_values = 0
for i = 2, #verbs do
  local name = byte(verbs, i)
  if name == ${BYTE.terms} then
    -- Counts the votes so far, under the terms so far.
${COUNT_VOTES}
    ttl, waiter_terms = ARGV[word_at + 1], ARGV[word_at + 2]
    proposal, extra_tokens = ARGV[word_at + 3], ARGV[word_at + 4] - 1
    word_at, proposed = word_at + 4, tonumber(proposal)
    is_refused = tonumber(ttl) > max_ttl
      or now and proposed > 0 and (proposed > now + furthest or proposed < now - furthest)
  elseif name == ${BYTE.value} then
    word_at = word_at + 1
    value = ARGV[word_at]
  else
    if not value then
      value = sub(values, value_at, value_at + ${VALUE_LENGTH - 1})
      value_at = value_at + ${VALUE_LENGTH}
    end
    key_at = key_at + 1
    local key = KEYS[key_at]

    count = count + 1

    local usual
    if name ~= ${BYTE.extend} and somebody_waits == nil then somebody_waits = call('EXISTS', KEYS[1]) == 1 end
    if name == ${BYTE.extend} then
      usual = not is_refused and try('GET', key) == value
        and (try('PTTL', key) >= tonumber(ttl) or try('PEXPIRE', key, ttl) == 1)
    elseif name < ${LAST_SINGLE_BYTE} and (not somebody_waits or call('EXISTS', key .. line_suffix) == 0) then
      if name == ${BYTE.wait} or name == ${BYTE.acquire} then
        local taken = not quarantine and not is_refused and try('SET', key, value, 'NX', 'PX', ttl)
        usual = taken and taken.ok
        if usual then
          local counter = ${counterAt('key_at')}
          voted = voted + 1
          if voted == 1 then
            vote, field, vote_key, vote_value = count, counter, key, value
          else
            if voted == 2 then votes, fields, vote_keys, vote_values = {vote}, {field}, {vote_key}, {vote_value} end
            votes[voted], fields[voted], vote_keys[voted], vote_values[voted] = count, counter, key, value
          end
        end
      elseif name == ${BYTE.releaseInLine} or name == ${BYTE.release} or name == ${BYTE.makeRoom} then
        usual = try('GET', key) == value and try('DEL', key) == 1
      end
    end

    -- The functions for what is not usual are not made before they are needed.
    if not usual then
      -- Counts the votes so far, since the operation may change their counters or keys.
${COUNT_VOTES}
      in_full = in_full or (function()
${BATCH_VERBS}
      end)()
      local at, size = key_at, 1
      if name > ${LAST_SINGLE_BYTE} then
        word_at = word_at + 1
        size = tonumber(ARGV[word_at])
        key_at = key_at + size - 1
      end
      local done, answer = pcall(in_full, string.char(name), at, size, value)
      if not done then
        extras = extras or {''}
        extras[#extras + 1] = type(answer) == 'table' and answer.err or tostring(answer)
        answer = '${ANSWER.failed}'
      end
      answers = answers or {}
      answers[count] = answer
    end
    value = nil
  end
end
-- Counts the votes that are left.
${COUNT_VOTES}

local clock = now and (now - now % 1000) / 1000
if count == 0 and quarantine then return {'', quarantine, clock} end
if not answers then return clock and count + ${CLOCK_FACTOR} * clock or count end
for i = 1, count do answers[i] = answers[i] or '${ANSWER.usual}' end
local letters = table.concat(answers)
extras = extras or (secret or clock) and {''}
-- Behind the secret there is always a word for the clock, so that the secret is found by its place.
if secret then extras[#extras + 1], clock = {secret}, clock or 0 end
if clock then extras[#extras + 1] = clock end
if not extras then return letters end
extras[1] = letters
return extras
`;

export const BATCH_SHA = createHash('sha1').update(BATCH_SCRIPT).digest('hex');
