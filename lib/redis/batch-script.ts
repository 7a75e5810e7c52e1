import { createHash } from 'node:crypto';
import { BATCH_VERBS } from './batch-verbs.js';

/**
 * Runs a batch of operations in order, each on its own: an error of one is its answer and does not touch its neighbours.
 *
 * KEYS: a mark that somebody waits on this node, then the resources of all operations. ARGV: "channel clock", the private
 * channel of the asking process and its wall clock in microseconds; one letter for each operation; the values of the operations,
 * 27 characters each; and then the words that some letters take:
 *
 *     A  acquires; everything or nothing, grants again what already has the value
 *     W  acquires, or takes a place in the line of waiters
 *     E  extends what has the value
 *     R  releases, compare-and-delete (the Redis distributed-locks page), and serves the line
 *     L  releases and leaves the line
 *     S  releases and leaves the line; it is served by the operation that follows
 *     Y  passes what has the value to an older waiter, and takes a place behind it
 *     a, e, r  as A, E and R for several resources; takes their number
 *     @  no operation: from here on these are the ttl, and "grace ticket" (two words)
 *     =  no operation: the next one has this value of another length (one word)
 *
 * Answers with their number where all operations went as usual: what was to be acquired is granted, what was to be extended is
 * extended, what was to be released is released. Else with one letter for each, followed by what some letters come with:
 *
 *     * as usual
 *     g granted   h held (ms left, owner)   x extended   m missing   t taken
 *     d released  n was gone                k kept       p passed    ! failed (why)
 *
 * The line of a resource is a sorted set of "grace value channel" by ticket, the time of arrival. A waiter is served by setting
 * the key to its value for a grace and telling its channel, unless nobody listens there any more. As long as nobody waits for
 * anything, there is no mark, and no line needs to be looked for.
 */
export const BATCH_SCRIPT = `
local call, try = redis.call, redis.pcall
local verbs, values = ARGV[2], ARGV[3]
local key_at, word_at, value_at = 1, 3, 1
local ttl, terms, value, in_full, answers, extras
local count = 0
local somebody_waits = call('EXISTS', KEYS[1]) == 1

for i = 1, #verbs do
  local name = string.byte(verbs, i)
  if name == 64 then
    ttl, terms = ARGV[word_at + 1], ARGV[word_at + 2]
    word_at = word_at + 2
  elseif name == 61 then
    value = ARGV[word_at + 1]
    word_at = word_at + 1
  else
    if not value then
      value = string.sub(values, value_at, value_at + 26)
      value_at = value_at + 27
    end
    key_at = key_at + 1
    local key = KEYS[key_at]

    count = count + 1

    local usual
    if name == 69 then
      usual = try('GET', key) == value and try('PEXPIRE', key, ttl) == 1
    elseif not somebody_waits then
      if name == 87 or name == 65 then
        local taken = try('SET', key, value, 'NX', 'PX', ttl)
        usual = taken and taken.ok
      elseif name == 76 or name == 82 or name == 83 then
        usual = try('GET', key) == value and try('DEL', key) == 1
      end
    end

    -- The functions for what is not usual are not made before they are needed.
    if not usual then
      in_full = in_full or (function()
${BATCH_VERBS}
        return verb
      end)()
      local keys
      if name > 90 then
        word_at = word_at + 1
        keys = {}
        for k = 1, tonumber(ARGV[word_at]) do keys[k] = KEYS[key_at + k - 1] end
        key_at = key_at + #keys - 1
      end
      local done, answer = pcall(in_full[string.char(name)], key, value, keys)
      if not done then
        extras = extras or {''}
        table.insert(extras, type(answer) == 'table' and answer.err or tostring(answer))
        answer = '!'
      end
      answers = answers or {}
      answers[count] = answer
    end
    value = nil
  end
end

if not answers then return count end
for i = 1, count do answers[i] = answers[i] or '*' end
local letters = table.concat(answers)
if not extras then return letters end
extras[1] = letters
return extras
`;

export const BATCH_SHA = createHash('sha1').update(BATCH_SCRIPT).digest('hex');
