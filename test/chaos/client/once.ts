import { setTimeout as sleep } from 'node:timers/promises';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Idempotency } from '../../../lib/idempotency/idempotency.js';
import { block } from '../../support/block.js';
import { machineTime } from '../record.js';
import type { Surroundings } from './surroundings.js';

/** Ms for which all processes call for the same few keys. */
const KEY_LASTS = 1_000;
const KEYS = 4;
/** How often work takes up to one and a half leases, blocks the event loop for as long, or fails. */
const SHARES = { long: 0.25, blocks: 0.08, fails: 0.1 } as const;
const EXPECTED = ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_REPLY_NOT_KEPT', 'QUORUM_NOT_REACHED', 'FAILED'];

/** The attempts whose answers are not kept, as events tell it: by key and fencing token. */
const unkept = new Set<string>();
/** By the id of a call whose work ran: its attempt. */
const attempts = new Map<string, string>();

export function noteUnkept(event: LockEvent): void {
  if (event.type === 'unkept') unkept.add(`${event.resources.join()} ${event.fencingToken}`);
}

/** Calls for work that is to be done once, and writes down what it is told. */
export async function callOnce(context: Surroundings, idempotency: Idempotency): Promise<void> {
  const { dice, journal, terms } = context;
  const [id, at] = [context.newId(), machineTime()];
  const key = `once-${Math.floor(at / KEY_LASTS)}-${dice.below(KEYS)}`;
  journal.write({ what: 'once', id, at, key });
  try {
    const options = { ttl: terms.ttl, waitTimeout: terms.ttl * dice.between(1, 3) };
    const answer = await idempotency.once(
      key,
      ({ fencingToken }) => work(context, id, `${key} ${fencingToken}`),
      options,
    );
    // One that joined a call of this process is told as much as that.
    const isUnkept = unkept.has(attempts.get(answer) ?? '');
    journal.write({ what: 'told', id, at: machineTime(), answer, isUnkept });
  } catch (error) {
    const { code, name, message } = error as Error & { code?: unknown };
    const known = typeof code === 'string' ? code : name;
    journal.write({ what: 'untold', id, at: machineTime(), code: known });
    if (!EXPECTED.includes(known)) journal.write({ what: 'trouble', at: machineTime(), reason: `${name}: ${message}` });
  }
}

/** Its answer is the id of the call. */
async function work(context: Surroundings, id: string, attempt: string): Promise<string> {
  const { dice, journal, terms } = context;
  attempts.set(id, attempt);
  journal.write({ what: 'ran', id, at: machineTime() });
  const isWild = context.mode === 'go';
  const ms = isWild && dice.chance(SHARES.long) ? dice.between(0, 1.5 * terms.ttl) : dice.between(0, terms.ttl / 30);
  if (isWild && dice.chance(SHARES.blocks)) block(dice.between(0, 1.5 * terms.ttl));
  await sleep(ms, undefined, { signal: context.work }).catch(() => undefined);
  if (dice.chance(SHARES.fails)) throw Object.assign(new Error('the work failed'), { code: 'FAILED' });
  return id;
}
