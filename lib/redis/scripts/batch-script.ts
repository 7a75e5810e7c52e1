import { createHash } from 'node:crypto';
import { FAMILIES } from '../../core/port/key-families.js';
import { BATCH_VERBS } from './batch-verbs.js';
import { COUNT_VOTES } from './votes-script.js';
import { TRUST_CHECK } from './trust-script.js';

/**
 * Runs a batch of operations in order, each on its own: an error of one is its answer and does not touch its neighbours.
 *
 * KEYS: a mark that somebody waits on this node, the marker of its trust, its fence counters, then the resources of all
 * operations. ARGV: "channel clock secret", the private channel of the asking process, its monotonic clock in microseconds, and
 * something that nobody else knows; whether the node
 * is checked before it votes ("c" or "n", capital where nothing here asks for a vote, so that only serving a line needs it), and
 * one letter for each operation; the values of the operations, 27 characters each; which counter counts for each resource, 3
 * characters each; the longest ttl that anyone may ask for; the words that some letters take; and last the run of the node as this
 * connection knows it, or "-":
 *
 *     A  acquires; everything or nothing, grants again what already has the value
 *     W  acquires, or takes a place in the line of waiters
 *     E  extends what has the value; never makes it shorter, since bytes of an old connection may arrive last
 *     K  has what has the value end after its ttl, sooner or later than before
 *     F  lifts the fence counter to what is proposed
 *     R  releases, compare-and-delete (the Redis distributed-locks page), and serves the line
 *     L  releases and leaves the line
 *     S  releases and leaves the line; it is served by the operation that follows
 *     Y  passes what has the value to an older waiter, and takes a place behind it
 *     a, e, f, k, r, s  as A, E, F, K, R and S for several resources, which have no line of their own; takes their number
 *     @  no operation: from here on these are the ttl, "ttl of the waiter, ticket, the same on the clock of the process", the proposed
 *        fencing token, and how many tokens come with a vote (four words)
 *     =  no operation: the next one has this value of another length (one word)
 *
 * Answers with their number where all operations went as usual: what was to be acquired is granted with the proposed token, what
 * was to be extended is extended, what was to be released is released. Else with one letter for each, followed by what some
 * letters come with:
 *
 *     * as usual
 *     g granted (fence and oldest)   h held (ms left, owner)   q in quarantine (ms left)   x extended   m missing   t taken
 *     u raised            d released                n was gone                  k kept       p passed    ! failed (why)
 *
 * The oldest is when the first of those came who wait behind it, in microseconds; "-" where nobody does, 0 where that is not told.
 * Where the node was asked for a vote, its clock comes along in ms: 1024 times added to the number, or as the last word. Where
 * anybody was put in line, the secret of the node comes before that, as an array of its own.
 *
 * The line of a resource is a sorted set of "ttl value channel" by ticket, the time of arrival. A waiter is served by setting
 * the key to its value for its whole ttl and telling its channel "signature value fence@clock oldest key", unless nobody listens there
 * any more. As long as nobody waits for
 * anything, there is no mark, and no line needs to be looked for; and where somebody does, only keys with a line go the long way.
 * The fence counters outlive all locks, and are fields of one hash, a few resources to each: the last token that was given away. A
 * vote comes with the greater of what is proposed and the token after that. There is no vote where the clocks of client and node are
 * half of the longest ttl apart: one that was set could drag the tokens of all others with it. Neither is there one whose token
 * would be further ahead of the node's clock than that: it is by the clock that tokens begin after a node has lost its memory.
 */
export const BATCH_SCRIPT = `
-- What a script uses often is quicker to reach by names of its own.
local call, try, byte, sub = redis.call, redis.pcall, string.byte, string.sub
local KEYS, ARGV = KEYS, ARGV
local verbs, values, counters = ARGV[2], ARGV[3], ARGV[4]
local key_at, word_at, value_at = 3, 5, 1
local ttl, terms, proposal, proposed, more, value, in_full, answers, extras
local count, is_wrong = 0, false
-- What follows a key in the name of its line.
local line_mark = '${FAMILIES.line}'
local max_ttl, trust = tonumber(ARGV[5]), sub(verbs, 1, 1)
-- Microseconds by which tokens may be off the clock of the node.
local furthest = max_ttl * 500
-- Whether somebody waits is not known (nil) until an operation needs it, or it comes along.
local now, quarantine, somebody_waits
-- By which the node signs grants, where somebody here is put in line: who waits has to know it.
local secret
if trust == 'c' or trust == 'n' then
  local marks = call('MGET', KEYS[1], KEYS[2])
  somebody_waits = marks[1]
  local marker = marks[2]
${TRUST_CHECK}
end
-- How many operations were given a vote whose counter is still to be counted; the first of them with its counter, and all.
local voted, vote, field, vote_key, vote_value, votes, fields, vote_keys, vote_values = 0
for i = 2, #verbs do
  local name = byte(verbs, i)
  if name == 64 then
${COUNT_VOTES}
    ttl, terms, proposal, more = ARGV[word_at + 1], ARGV[word_at + 2], ARGV[word_at + 3], ARGV[word_at + 4] - 1
    word_at, proposed = word_at + 4, tonumber(proposal)
    is_wrong = tonumber(ttl) > max_ttl
      or now and proposed > 0 and (proposed > now + furthest or proposed < now - furthest)
  elseif name == 61 then
    word_at = word_at + 1
    value = ARGV[word_at]
  else
    if not value then
      value = sub(values, value_at, value_at + 26)
      value_at = value_at + 27
    end
    key_at = key_at + 1
    local key = KEYS[key_at]

    count = count + 1

    local usual
    if name ~= 69 and somebody_waits == nil then somebody_waits = call('EXISTS', KEYS[1]) == 1 end
    if name == 69 then
      usual = not is_wrong and try('GET', key) == value
        and (try('PTTL', key) >= tonumber(ttl) or try('PEXPIRE', key, ttl) == 1)
    elseif name < 90 and (not somebody_waits or call('EXISTS', key .. line_mark) == 0) then
      if name == 87 or name == 65 then
        local taken = not quarantine and not is_wrong and try('SET', key, value, 'NX', 'PX', ttl)
        usual = taken and taken.ok
        if usual then
          local counter = sub(counters, 3 * key_at - 11, 3 * key_at - 9)
          voted = voted + 1
          if voted == 1 then
            vote, field, vote_key, vote_value = count, counter, key, value
          else
            if voted == 2 then votes, fields, vote_keys, vote_values = {vote}, {field}, {vote_key}, {vote_value} end
            votes[voted], fields[voted], vote_keys[voted], vote_values[voted] = count, counter, key, value
          end
        end
      elseif name == 76 or name == 82 or name == 83 then
        usual = try('GET', key) == value and try('DEL', key) == 1
      end
    end

    -- The functions for what is not usual are not made before they are needed.
    if not usual then
${COUNT_VOTES}
      in_full = in_full or (function()
${BATCH_VERBS}
      end)()
      local at, size = key_at, 1
      if name > 90 then
        word_at = word_at + 1
        size = tonumber(ARGV[word_at])
        key_at = key_at + size - 1
      end
      local done, answer = pcall(in_full, string.char(name), at, size, value)
      if not done then
        extras = extras or {''}
        extras[#extras + 1] = type(answer) == 'table' and answer.err or tostring(answer)
        answer = '!'
      end
      answers = answers or {}
      answers[count] = answer
    end
    value = nil
  end
end
${COUNT_VOTES}

local clock = now and (now - now % 1000) / 1000
if count == 0 and quarantine then return {'', quarantine, clock} end
if not answers then return clock and count + 1024 * clock or count end
for i = 1, count do answers[i] = answers[i] or '*' end
local letters = table.concat(answers)
extras = extras or (secret or clock) and {''}
if secret then extras[#extras + 1] = {secret} end
if clock then extras[#extras + 1] = clock end
if not extras then return letters end
extras[1] = letters
return extras
`;

export const BATCH_SHA = createHash('sha1').update(BATCH_SCRIPT).digest('hex');
