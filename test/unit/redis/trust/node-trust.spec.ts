import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { NodeEvent } from '../../../../lib/core/port/lock-node.js';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../../lib/redis/batch/batch-encoder.js';
import { NodeTrust } from '../../../../lib/redis/trust/node-trust.js';
import { wordsOf } from '../../../support/command-words.js';

const GRANTED = { kind: 'granted', fence: 7 } as const;
const out = (remaining: number) => ({ kind: 'quarantined', remaining }) as const;
const INFO = 'run_id:abc\r\nrole:master\r\n';

const refusalOf = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

/** What the node answers to INFO and GET. */
function redisOf(info: string | Error, marker: string | Error | null = null): Redis {
  const reply = (value: unknown) => () => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value));
  return {
    info: reply(info),
    get: reply(marker),
    exists: reply(0),
    call: reply(1),
    sendCommand: reply(1),
  } as unknown as Redis;
}

describe('NodeTrust', () => {
  let clock: SystemClock;
  let events: NodeEvent[];
  let sent: string[][];
  let trust: NodeTrust;
  const trustOf = (restartQuarantine = true): NodeTrust =>
    new NodeTrust(new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine }, clock), {
      tell: (event) => void events.push(event),
      send: (_name, wire) => void sent.push(...wordsOf(wire)),
      clock,
    });
  const types = (): string[] => events.map(({ type }) => type);

  beforeEach(() => {
    jest.useFakeTimers();
    clock = new SystemClock();
    [events, sent] = [[], []];
    trust = trustOf();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  describe('counts a vote', () => {
    it('as it is, and tells nothing, where the node votes', () => {
      expect(trust.count(GRANTED)).toBe(GRANTED);
      expect(events).toEqual([]);
    });

    it('that is none, and tells once why and for how long, and once that it is over', () => {
      expect([1_000, 600, 1].map((left) => trust.count(out(left)))).toEqual([out(1_000), out(600), out(1)]);
      trust.count(GRANTED);
      trust.count(GRANTED);
      expect(events).toEqual([
        { type: 'node-quarantined', reason: expect.stringMatching(/may have forgotten locks/), remaining: 1_000 },
        { type: 'node-trusted' },
      ]);
    });

    it('and tells it again when the node is out again', () => {
      for (const answer of [out(5), GRANTED, out(5)]) trust.count(answer);
      expect(types()).toEqual(['node-quarantined', 'node-trusted', 'node-quarantined']);
    });
  });

  describe('hears by a vote', () => {
    const REFUSED = { kind: 'unknown', reason: 'OOM command not allowed', sent: true, refused: true } as const;

    it('that the node refuses, and, once it has refused nothing for a second, that it votes again', () => {
      for (const answer of [REFUSED, REFUSED, GRANTED]) expect(trust.countVote(answer)).toBe(answer);
      jest.advanceTimersByTime(1_000);
      trust.countVote(GRANTED);
      expect(events).toEqual([
        { type: 'node-refused', reason: expect.stringMatching(/^OOM command not allowed - its memory is full/) },
        { type: 'node-accepted' },
      ]);
    });

    it('that its token is further ahead than it may be, which is a refusal, too', () => {
      const answer = trust.countVote({ kind: 'granted', fence: (Date.now() + 1_001) * 1_000 });
      expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(/further ahead of our clock/) });
      expect(types()).toEqual(['node-refused']);
    });

    it('only: what else it refuses says nothing of votes', () => {
      trust.count(REFUSED);
      expect(events).toEqual([]);
    });
  });

  describe('allows a vote that nobody asked for', () => {
    const token = (ahead: number): number => (Date.now() + ahead) * 1_000;

    it('with a token that is not too far ahead', () => {
      expect([0, 1_000, 1_001].map((ahead) => trust.allows(token(ahead)))).toEqual([true, true, false]);
    });

    it('not while nothing counts that the node says', () => {
      trust.bar('it leads to the same server as another');
      expect(trust.allows(token(0))).toBe(false);
    });
  });

  describe('examines a node', () => {
    const examined = async (redis: Redis): Promise<void> => {
      void trust.examine(redis);
      await trust.examined;
    };

    it('and knows who it is', async () => {
      expect(trust.runId).toBeUndefined();
      await examined(redisOf(INFO));
      expect([trust.runId, events]).toEqual(['abc', []]);
    });

    it('and warns of what is wrong with it, once however often it connects', async () => {
      const redis = redisOf(INFO.replace('master', 'slave'), 'abc|1|2000');
      await examined(redis);
      await examined(redis);
      expect(types()).toEqual(['node-warning', 'node-warning']);
    });

    it('and warns where it may not be asked, unless nobody cares for restarts', async () => {
      const redis = redisOf(refusalOf('NOPERM this user has no permissions to run the info command'));
      await examined(redis);
      trust = trustOf(false);
      await examined(redis);
      expect(events).toEqual([{ type: 'node-warning', reason: expect.stringMatching(/may not run INFO/) }]);
    });

    it('and is not stopped by a connection that breaks', async () => {
      await examined(redisOf(new Error('Connection is closed.')));
      expect([trust.runId, events]).toEqual([undefined, []]);
    });

    it('and hears what it says of itself though its marker cannot be read', async () => {
      await examined(redisOf(`${INFO}cluster_enabled:1\r\n`, refusalOf('CLUSTERDOWN Hash slot not served')));
      expect([trust.runId, events]).toEqual([
        'abc',
        [{ type: 'node-warning', reason: expect.stringMatching(/cluster/) }],
      ]);
    });
  });
});
