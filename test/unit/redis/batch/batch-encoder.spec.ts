import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import { SystemRandom } from '../../../../lib/core/collections/random.js';
import { counterOf } from '../../../../lib/core/port/fencing.js';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { BatchEncoder, NO_RUN } from '../../../../lib/redis/batch/batch-encoder.js';
import { BATCH_SCRIPT, BATCH_SHA } from '../../../../lib/redis/scripts/batch-script.js';
import { Batch } from '../../../../lib/redis/batch/batch.js';
import type { Verb } from '../../../../lib/redis/scripts/protocol.js';
import { decode } from '../../../support/batch-words.js';
import { wordsOf } from '../../../support/command-words.js';
import { TRUSTING } from '../../../support/trust.js';

interface Operation {
  readonly verb: Verb;
  readonly keys: readonly string[];
  readonly value: string;
  readonly ttl: number;
  readonly proposal?: number;
  readonly place?: { readonly ttl: number; readonly arrived: number; readonly arrivedMonotonic?: number };
}

const VERBS = ['A', 'W', 'E', 'F', 'K', 'R', 'L', 'S', 'Y', 'a', 'e', 'f', 'k', 'r', 's'] as const;
const OF_SEVERAL = 'aefkrs';
const WITH_TTL = 'AWEKaek';
const WITH_PROPOSAL = 'AWFaf';
const WITH_GRACE = 'WLSY';
const WITH_TICKET = 'WY';

describe('BatchEncoder', () => {
  const random = new SystemRandom();
  const clock = new SystemClock();
  let encoder: BatchEncoder;
  const operation = (verb: Verb, more: Partial<Operation> = {}): Operation => ({
    verb,
    keys: OF_SEVERAL.includes(verb) ? ['a', 'b'] : ['a'],
    value: random.value(),
    ttl: 1_000,
    ...more,
  });
  const batchOf = (...operations: Operation[]): Batch => {
    const batch = new Batch();
    for (const { verb, keys, value, ttl, place, proposal = 0 } of operations) {
      const waits = place && { ...place, isWaiting: true, granted: () => undefined };
      const question = new SingleCall<never>(new Claim(keys, value, waits), ttl);
      question.proposal = proposal;
      batch.add(verb, question, 0);
    }
    return batch;
  };
  const decoded = (...operations: Operation[]) => decode(encoder.wire(batchOf(...operations), 'evalsha'));

  beforeEach(() => {
    encoder = new BatchEncoder('lock:', TRUSTING, clock);
  });

  it('calls the script by its hash, or by its text', () => {
    const batch = batchOf(operation('A'));
    expect(decode(encoder.wire(batch, 'evalsha'))).toMatchObject({ command: 'EVALSHA', script: BATCH_SHA });
    expect(decode(encoder.wire(batch, 'eval'))).toMatchObject({ command: 'EVAL', script: BATCH_SCRIPT });
  });

  it('names the mark, the channel, the monotonic time in microseconds and a secret of the sender', () => {
    jest.spyOn(clock, 'now').mockReturnValueOnce({ monotonic: 1.5004, wall: 0 });
    const { mark, sender } = decoded(operation('A'));
    const secret = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect([mark, ...sender!.split(' ')]).toEqual(['lock:~waiting', encoder.channel, '1500', secret]);
  });

  it('has a channel that no other process has, under its prefix', () => {
    expect(encoder.channel).toMatch(/^lock:~grants:[\w-]{16}$/);
    expect(new BatchEncoder('lock:', TRUSTING, clock).channel).not.toBe(encoder.channel);
  });

  it.each(VERBS)('says of %s all that it needs', (verb) => {
    const place = { ttl: 500, arrived: 1_700_000_000_000_123, arrivedMonotonic: 123_000 };
    const one = operation(verb, { place, proposal: 1_795_000_000_000_123 });
    const { operations, left } = decoded(one);
    expect(operations).toHaveLength(1);
    const [read] = operations;
    expect(read).toMatchObject({ verb, keys: one.keys.map((key) => `lock:${key}`), value: one.value });
    if (WITH_TTL.includes(verb)) expect(read!.ttl).toBe('1000');
    if (WITH_PROPOSAL.includes(verb)) expect(read!.proposal).toBe('1795000000000123');
    if (WITH_GRACE.includes(verb)) expect(read!.terms).toMatch(/^500 /);
    if (WITH_TICKET.includes(verb)) expect(read!.terms).toBe('500 1700000000000123 123000');
    expect(left).toBe('');
  });

  it.each(['', 'short', 'x'.repeat(26), 'x'.repeat(28), 'x'.repeat(27), 'ünï'])('takes the value "%s"', (value) => {
    const values = [random.value(), value, random.value()];
    const { operations, left } = decoded(...values.map((one) => operation('A', { value: one })));
    expect(operations.map((read) => read.value)).toEqual(values);
    expect(left).toBe('');
  });

  it('takes names and prefixes of any characters', () => {
    encoder = new BatchEncoder('ünï:', TRUSTING, clock);
    const keys = ['€😀', 'a b', '\r\n*1\r\n', ''];
    const { operations, mark } = decoded(operation('a', { keys }), operation('A', { keys: ['$3'] }));
    expect(operations.map((read) => read.keys)).toEqual([keys.map((key) => `ünï:${key}`), ['ünï:$3']]);
    expect(mark).toBe('ünï:~waiting');
  });

  it('says what many operations have in common once', () => {
    const operations = Array.from({ length: 100 }, (_, index) => operation('A', { keys: [`key-${index}`] }));
    const [words] = wordsOf(encoder.wire(batchOf(...operations, operation('R')), 'evalsha'));
    expect(words!.filter((word) => /^[cn]@?A+R$/.test(word))).toEqual([`n@${'A'.repeat(100)}R`]);
  });

  it('encodes what all nodes are asked once', () => {
    const question = new SingleCall<never>(new Claim(['a'], random.value()), 1_000);
    const [first, second, other] = [new Batch(), new Batch(), new Batch()];
    first.add('A', question, 0);
    second.add('A', question, 1);
    other.add('R', question, 0);
    const wire = encoder.wire(first, 'evalsha');
    const sender = (text: string): string | undefined => decode(text).sender;
    jest.spyOn(clock, 'now').mockReturnValue({ monotonic: 60_000, wall: 0 });
    expect(encoder.wire(second, 'evalsha')).toEqual(wire);
    expect(decode(encoder.wire(other, 'evalsha')).operations[0]!.verb).toBe('R');
    // A node that is sent both comes behind one that was.
    expect(encoder.wire(second, 'evalsha')).toEqual(wire);
    encoder.forget();
    expect(sender(encoder.wire(first, 'evalsha'))).not.toBe(sender(wire));
    jest.restoreAllMocks();
  });

  it('keeps no more than some batches for the other nodes', () => {
    const batches = Array.from({ length: 100 }, (_, index) => batchOf(operation('A', { keys: [`key-${index}`] })));
    const first = batches.map((batch) => encoder.wire(batch, 'evalsha'));
    jest.spyOn(clock, 'now').mockReturnValue({ monotonic: 60_000, wall: 0 });
    const second = batches.toReversed().map((batch) => encoder.wire(batch, 'evalsha'));
    expect(second.filter((wire) => first.includes(wire))).toHaveLength(16);
    jest.restoreAllMocks();
  });

  it.each(['cC', 'nN'])('says when the node is checked: %s', (check) => {
    encoder = new BatchEncoder('lock:', { maxTtl: 7_500, restartQuarantine: check === 'cC' }, clock);
    const checks = VERBS.map((verb) => decoded(operation('R'), operation(verb)).trust.check);
    expect(checks).toEqual(VERBS.map((verb) => check['AWa'.includes(verb) ? 0 : 1]));
    const trust = { marker: 'lock:~node', maxTtl: '7500', check: check[0], run: '-' };
    expect(decoded()).toMatchObject({ trust, operations: [], left: '' });
  });

  it('says which counter counts for each resource', () => {
    const read = decoded(operation('A'), operation('r', { keys: ['b', 'c'] }), operation('W', { keys: ['d'] }));
    expect(read.fences).toBe('lock:~fence');
    expect(read.counted).toEqual(['a', 'b', 'c', 'd'].map((key) => [`lock:${key}`, counterOf(key)]));
  });

  it('says last which run of the node the connection leads to, to each node on its own', () => {
    const batch = batchOf(operation('A'));
    const runs = ['f'.repeat(40), 'e'.repeat(40)];
    const wires = runs.map((run) => encoder.wire(batch, 'evalsha', `$40\r\n${run}\r\n`));
    expect(wires.map((wire) => decode(wire).trust.run)).toEqual(runs);
    expect(decode(encoder.wire(batch, 'evalsha', NO_RUN)).trust.run).toBe('-');
  });

  it('claims no run, and has the node checked, with the text of the script', () => {
    encoder = new BatchEncoder('lock:', { maxTtl: 7_500, restartQuarantine: true }, clock);
    const run = `$40\r\n${'f'.repeat(40)}\r\n`;
    for (const verb of VERBS) {
      const { trust } = decode(encoder.wire(batchOf(operation(verb)), 'eval', run));
      expect(trust).toMatchObject({ check: 'c', run: '-' });
    }
  });
});
