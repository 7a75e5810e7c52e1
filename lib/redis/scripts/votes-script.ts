import { OUTRUN } from './line-script.js';
import { ANSWER } from './protocol.js';

/** Returns the code that takes back a vote whose token would be too far ahead of the clock, unless the key has been released since. */
const undo = (vote: string, key: string, value: string): string => `
      if try('GET', ${key}) == ${value} then call('DEL', ${key}) end
      answers[${vote}], extras[#extras + 1] = '${ANSWER.failed}', string.format('${OUTRUN}', (fence - now) / 1000)`;

/**
 * Raises the fence counters for all votes that are not counted yet, at once. It takes the `voted` votes and their terms, and sets `voted` to 0;
 * where a token is not the usual one, it adds to `answers` and `extras`. It is text and not a Lua function, because making a function
 * takes a script longer. Counters are read and written in as few calls as possible: each call takes as long as all the rest of a vote.
 */
export const COUNT_VOTES = `
if voted > 0 then
  local usual_word = extra_tokens == 0 and proposal or string.format('%.0f', proposed + extra_tokens)
  if voted == 1 then
    local fence = (tonumber(call('HGET', KEYS[3], field)) or 0) + 1
    local word = usual_word
    if fence > proposed then
      answers, extras = answers or {}, extras or {''}
      if fence > now + furthest then
        word = nil
${undo('vote', 'vote_key', 'vote_value')}
      else
        word = string.format('%.0f', fence + extra_tokens)
        answers[vote], extras[#extras + 1] = '${ANSWER.granted}', string.format('%.0f -', fence)
      end
    end
    if word then call('HSET', KEYS[3], field, word) end
  else
    local before = call('HMGET', KEYS[3], unpack(fields))
    local after, seen = {}, {}
    for v = 1, voted do
      local field, word = fields[v], usual_word
      local fence = (seen[field] or tonumber(before[v]) or 0) + 1
      local last = fence + extra_tokens
      if fence <= proposed then
        last = proposed + extra_tokens
      else
        answers, extras = answers or {}, extras or {''}
        if fence > now + furthest then
          last = fence - 1
${undo('votes[v]', 'vote_keys[v]', 'vote_values[v]')}
        else
          answers[votes[v]], extras[#extras + 1] = '${ANSWER.granted}', string.format('%.0f -', fence)
        end
        word = string.format('%.0f', last)
      end
      seen[field], after[2 * v - 1], after[2 * v] = last, field, word
    end
    call('HSET', KEYS[3], unpack(after))
  end
  voted = 0
end
`;
