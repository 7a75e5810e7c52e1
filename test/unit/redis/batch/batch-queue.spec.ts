import { setImmediate as immediate } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import { BatchQueue } from '../../../../lib/redis/batch/batch-queue.js';
import type { Batch } from '../../../../lib/redis/batch/batch.js';
import { severalOr } from '../../../../lib/redis/batch/verbs.js';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';

const OK: Reply = { ok: true, value: 'g' };
const NOSCRIPT: Reply = { ok: false, reason: 'NOSCRIPT No matching script.', sent: true };
const CLOSED: Reply = { ok: false, reason: 'connection closed', sent: true };

const namesOf = ({ questions }: Batch): string => questions.map(({ claim }) => claim.resources.join('+')).join(' ');
const claimsOf = (names: readonly string[]): Claim[] => names.map((name) => new Claim(name.split('+'), 'ours'));

describe('BatchQueue', () => {
  let queue: BatchQueue;
  /** What the carrier was given, in order: how and what. */
  let sent: string[];
  let batches: Batch[];
  let settled: string[];
  /** Answers the oldest batch that is under way. */
  let underWay: ((reply: Reply) => void)[];
  const answer = (...replies: Reply[]) => replies.forEach((reply) => underWay.shift()!(reply));
  const ask = (...names: string[]) =>
    claimsOf(names).forEach((claim) => queue.add(severalOr('A', claim), new SingleCall<never>(claim, 1_000), 0));
  /** Each of these in a turn of its own. */
  const askInTurns = async (...names: string[]) => {
    for (const name of names) {
      ask(...name.split(' '));
      await setImmediate();
    }
  };

  beforeEach(() => {
    [sent, batches, settled, underWay] = [[], [], [], []];
    queue = new BatchQueue({
      nextTurn: (task) => void immediate(task),
      send: (batch, command, settle) => {
        sent.push(`${command} ${namesOf(batch)}`);
        batches.push(batch);
        return void underWay.push(settle);
      },
      settle: (batch, reply) => settled.push(`${namesOf(batch)}: ${reply.ok ? String(reply.value) : reply.reason}`),
    });
  });

  it('sends what is asked in one turn as one batch, in order, at the end of the turn', async () => {
    ask('a', 'b');
    ask('c+d');
    expect([sent, queue.isOpen]).toEqual([[], true]);
    await setImmediate();
    expect([sent, queue.isOpen]).toEqual([['evalsha a b c+d'], false]);
  });

  it('sends along what promises that are settled already still ask for', async () => {
    await Promise.resolve();
    ask('a');
    void Promise.resolve()
      .then(() => ask('b'))
      .then(() => ask('c'));
    await setImmediate();
    expect(sent).toEqual(['evalsha a b c']);
  });

  it('sends the questions of the next turn as the next batch, without waiting for answers', async () => {
    await askInTurns('a', 'b', 'c');
    expect(sent).toEqual(['evalsha a', 'evalsha b', 'evalsha c']);
  });

  it('hands on the replies', async () => {
    await askInTurns('a', 'b', 'c');
    answer(OK, CLOSED, { ok: false, reason: 'OOM', sent: true });
    expect(settled).toEqual(['a: g', 'b: connection closed', 'c: OOM']);
    expect(sent).toHaveLength(3);
  });

  it('sends what is asked while replies are handed on', async () => {
    await askInTurns('a');
    const [reply] = underWay;
    ask('b');
    reply!(OK);
    ask('c');
    await setImmediate();
    expect(sent).toEqual(['evalsha a', 'evalsha b c']);
  });

  it('sends very many operations of one turn as several batches, in order', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `key-${index}`);
    ask(...names);
    await setImmediate();
    expect(sent.map((call) => call.replace('evalsha ', '')).join(' ')).toBe(names.join(' '));
    expect(sent.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...batches.map(({ keyCount }) => keyCount))).toBe(128);
  });

  it('counts keys, not operations, and those of a release twice, since it may serve a waiter', async () => {
    ask(...Array<string>(10).fill(Array.from({ length: 100 }, (_, index) => `key-${index}`).join('+')));
    await setImmediate();
    for (const claim of claimsOf(Array<string>(150).fill('a'))) queue.add('R', new SingleCall<never>(claim, 1_000), 0);
    ask(...Array<string>(100).fill('b'));
    await setImmediate();
    expect(batches.map(({ keyCount }) => keyCount)).toEqual([...Array<number>(10).fill(100), 64, 64, 22 + 84, 16]);
  });

  it('sends long names as several batches', async () => {
    ask(...Array<string>(64).fill('x'.repeat(10_000)));
    await setImmediate();
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1_024 + 10_000);
    expect(batches.reduce((sum, { verbs }) => sum + verbs.length, 0)).toBe(64);
  });

  it.each([128, 256, 512])('sends nothing empty behind %i operations', async (count) => {
    ask(...Array.from({ length: count }, (_, index) => `key-${index}`));
    await setImmediate();
    expect(batches.filter(({ keyCount }) => keyCount === 0)).toEqual([]);
  });

  describe('where the node does not know the script', () => {
    it('sends its text', async () => {
      await askInTurns('a');
      answer(NOSCRIPT);
      expect([sent, settled]).toEqual([['evalsha a', 'eval a'], []]);
      answer(OK);
      expect(settled).toEqual(['a: g']);
    });

    it('sends all that it refused again in order, the text once', async () => {
      await askInTurns('a', 'b', 'c');
      answer(NOSCRIPT, NOSCRIPT);
      expect(sent).toHaveLength(3);
      answer(NOSCRIPT);
      expect(sent.slice(3)).toEqual(['eval a', 'evalsha b', 'evalsha c']);
      answer(OK, OK, OK);
      expect(settled).toEqual(['a: g', 'b: g', 'c: g']);
    });

    it('holds back what is asked meanwhile until it has sent what was refused', async () => {
      await askInTurns('a', 'b');
      answer(NOSCRIPT);
      await askInTurns('c', 'd e');
      expect(sent).toEqual(['evalsha a', 'evalsha b']);
      answer(NOSCRIPT);
      expect(sent.slice(2)).toEqual(['eval a', 'evalsha b', 'evalsha c', 'evalsha d e']);
      await askInTurns('f');
      expect(sent.at(-1)).toBe('evalsha f');
      answer(OK, OK, OK, OK, OK);
      expect(settled).toEqual(['a: g', 'b: g', 'c: g', 'd e: g', 'f: g']);
    });

    it('keeps the order also where it forgets again before it was sent the text', async () => {
      await askInTurns('a', 'b');
      answer(NOSCRIPT, NOSCRIPT);
      await askInTurns('c');
      answer(OK, NOSCRIPT);
      await askInTurns('d');
      expect(sent.slice(2)).toEqual(['eval a', 'evalsha b', 'evalsha c']);
      answer(NOSCRIPT);
      expect(sent.slice(5)).toEqual(['eval b', 'evalsha c', 'evalsha d']);
      answer(OK, OK, OK);
      expect(settled).toEqual(['a: g', 'b: g', 'c: g', 'd: g']);
    });

    it('tells those that were refused why the connection broke, and is not stuck', async () => {
      await askInTurns('a', 'b');
      answer(NOSCRIPT, CLOSED);
      expect(settled).toEqual(['b: connection closed']);
      answer(CLOSED);
      await askInTurns('c');
      answer(OK);
      expect(settled).toEqual(['b: connection closed', 'a: connection closed', 'c: g']);
    });

    it('copes with a carrier that answers at once because it can no longer send', async () => {
      let broken = false;
      queue = new BatchQueue({
        nextTurn: (task) => void immediate(task),
        send: (_batch, _command, settle) => void (broken ? settle({ ...CLOSED, sent: false }) : underWay.push(settle)),
        settle: (batch) => settled.push(namesOf(batch)),
      });
      await askInTurns('a', 'b');
      answer(NOSCRIPT);
      await askInTurns('c');
      broken = true;
      answer(NOSCRIPT);
      await askInTurns('d');
      expect(settled).toEqual(['a', 'b', 'c', 'd']);
    });

    it('does not send a refused batch again when a later batch was not refused: it would arrive after that one', async () => {
      await askInTurns('acquire', 'release');
      answer(NOSCRIPT, OK); // another process has sent the text in between
      expect(sent).toEqual(['evalsha acquire', 'evalsha release']);
    });
  });
});
