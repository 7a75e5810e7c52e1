import { describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import { counterOf } from '../../../../lib/core/port/fencing.js';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../../lib/redis/batch/batch-encoder.js';
import { Batch } from '../../../../lib/redis/batch/batch.js';
import type { Verb } from '../../../../lib/redis/scripts/protocol.js';
import { Dice } from '../../../simulation/world/dice.js';
import { decode } from '../../../support/batch-words.js';
import { TRUSTING } from '../../../support/trust.js';

const VERBS = [...'AWEFKRLSYaefkrs'] as Verb[];
const WITH_TTL = 'AWEKaek';
const WITH_PROPOSAL = 'AWFaf';
const WITH_GRANT_TTL = 'WLSY';
const WITH_TICKET = 'WY';
const NAMES = ['a', 'a name', 'ключ', '{tag}:$3\r\nabc\r\n', '', 'x'.repeat(300)];
const TICKETS = [7, 500].flatMap((ttl) =>
  [1, 2].flatMap((arrived) => [undefined, 7].map((arrivedMonotonic) => ({ ttl, arrived, arrivedMonotonic }))),
);

interface Operation {
  readonly verb: Verb;
  readonly question: SingleCall<never>;
}

/** Whether it is for several resources. */
function isSeveral(verb: Verb): boolean {
  return verb === verb.toLowerCase();
}

function operation(dice: Dice): Operation {
  const verb = dice.pick(VERBS);
  const names = isSeveral(verb) ? ['b', dice.pick(NAMES), ...NAMES.filter(() => dice.chance(0.3))] : [dice.pick(NAMES)];
  const place = dice.pick([undefined, ...TICKETS]);
  const value = dice.value().padStart(dice.pick([27, 27, 1, 40]), '-');
  const claim = new Claim(names, value, place && { ...place, isWaiting: true, granted: () => undefined });
  const tokens = dice.pick([1, 64]);
  const question = new SingleCall<never>(claim, dice.pick([1, 1_000, 60_000]));
  question.tokens = tokens;
  question.proposal = dice.pick([0, 1_795_000_000_000_123, 1_795_000_000_000_124]);
  return { verb, question };
}

/** What the script has to know, as it reads it. */
function wanted({ verb, question: { claim, ttl, proposal, tokens } }: Operation): Record<string, unknown> {
  const { ttl: grantTtl, arrived, arrivedMonotonic } = claim.place ?? { ttl: 0, arrived: 0 };
  return {
    verb,
    keys: claim.resources.map((name) => `lock:${name}`),
    value: claim.value,
    ...(WITH_TTL.includes(verb) && { ttl: `${ttl}` }),
    ...(WITH_PROPOSAL.includes(verb) && { proposal: `${proposal}`, tokens: `${tokens}` }),
    ...(WITH_GRANT_TTL.includes(verb) && { terms: expect.stringMatching(`^${grantTtl} `) }),
    ...(WITH_TICKET.includes(verb) && { terms: `${grantTtl} ${arrived} ${arrivedMonotonic ?? ''}` }),
  };
}

describe('BatchEncoder with batches of anything', () => {
  const encoder = new BatchEncoder('lock:', TRUSTING, new SystemClock());

  it.each([1, 2, 12, 200])('says what the script needs for each of %i operations, whatever comes before it', (size) => {
    const dice = new Dice(size);
    for (let round = 0; round < 1_000 / size; round += 1) {
      const operations = Array.from({ length: size }, () => operation(dice));
      const batch = new Batch();
      for (const { verb, question } of operations) batch.add(verb, question, 0);
      const read = decode(encoder.wire(batch, 'evalsha'));
      expect(read.operations).toMatchObject(operations.map(wanted));
      const names = operations.flatMap(({ question }) => question.claim.resources);
      expect(read.counted).toEqual(names.map((name) => [`lock:${name}`, counterOf(name)]));
      expect(read.left).toBe('');
    }
  });
});
