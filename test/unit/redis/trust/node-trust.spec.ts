import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { GRANTED, infoOf, NotedTrust, out, redisOf } from '../../../support/noted-trust.js';

const INFO = infoOf('abc');

const refusalOf = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

describe('NodeTrust', () => {
  let noted: NotedTrust;

  beforeEach(() => {
    jest.useFakeTimers();
    noted = new NotedTrust();
  });
  afterEach(() => void jest.useRealTimers());

  describe('counts a vote', () => {
    it('as it is, and tells nothing, where the node votes', () => {
      expect(noted.trust.count(GRANTED)).toBe(GRANTED);
      expect(noted.events).toEqual([]);
    });

    it('that is none, and tells once why and for how long, and once that it is over', () => {
      expect([1_000, 600, 1].map((left) => noted.trust.count(out(left)))).toEqual([out(1_000), out(600), out(1)]);
      noted.trust.count(GRANTED);
      noted.trust.count(GRANTED);
      expect(noted.events).toEqual([
        { type: 'node-quarantined', reason: expect.stringMatching(/may have forgotten locks/), remaining: 1_000 },
        { type: 'node-trusted' },
      ]);
    });

    it('and tells it again when the node is out again', () => {
      for (const answer of [out(5), GRANTED, out(5)]) noted.trust.count(answer);
      expect(noted.types).toEqual(['node-quarantined', 'node-trusted', 'node-quarantined']);
    });
  });

  describe('hears by a vote', () => {
    const REFUSED = { kind: 'unknown', reason: 'OOM command not allowed', sent: true, refused: true } as const;

    it('that the node refuses, and, once it has refused nothing for a second, that it votes again', () => {
      for (const answer of [REFUSED, REFUSED, GRANTED]) expect(noted.trust.countVote(answer)).toBe(answer);
      jest.advanceTimersByTime(1_000);
      noted.trust.countVote(GRANTED);
      expect(noted.events).toEqual([
        { type: 'node-refused', reason: expect.stringMatching(/^OOM command not allowed - its memory is full/) },
        { type: 'node-accepted' },
      ]);
    });

    it('that its token is further ahead than it may be, which is a refusal, too', () => {
      const answer = noted.trust.countVote({ kind: 'granted', fence: (Date.now() + 1_001) * 1_000 });
      expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(/further ahead of our clock/) });
      expect(noted.types).toEqual(['node-refused']);
    });

    it('only: what else it refuses says nothing of votes', () => {
      noted.trust.count(REFUSED);
      expect(noted.events).toEqual([]);
    });
  });

  describe('allows a vote that was not asked for', () => {
    const token = (ahead: number): number => (Date.now() + ahead) * 1_000;

    it('with a token that is not too far ahead', () => {
      expect([0, 1_000, 1_001].map((ahead) => noted.trust.allows(token(ahead)))).toEqual([true, true, false]);
    });

    it('not while nothing counts that the node says', () => {
      noted.trust.bar('it leads to the same server as another');
      expect(noted.trust.allows(token(0))).toBe(false);
    });
  });

  describe('examines a node', () => {
    const examined = async (redis: Redis, trust = noted.trust): Promise<void> => {
      void trust.examine(redis);
      await trust.examined;
    };

    it('and knows its run id', async () => {
      expect(noted.trust.runId).toBeUndefined();
      await examined(redisOf(INFO));
      expect([noted.trust.runId, noted.events]).toEqual(['abc', []]);
    });

    it('and warns of what is wrong with it, once however often it connects', async () => {
      const redis = redisOf(INFO.replace('master', 'slave'), 'abc|1|2000');
      await examined(redis);
      await examined(redis);
      expect(noted.types).toEqual(['node-warning', 'node-warning']);
    });

    it('and warns when it may not be asked, unless restarts do not count', async () => {
      const redis = redisOf(refusalOf('NOPERM this user has no permissions to run the info command'));
      await examined(redis);
      await examined(redis, noted.trustOf(false));
      expect(noted.events).toEqual([{ type: 'node-warning', reason: expect.stringMatching(/may not run INFO/) }]);
    });

    it('and is not stopped by a connection that breaks', async () => {
      await examined(redisOf(new Error('Connection is closed.')));
      expect([noted.trust.runId, noted.events]).toEqual([undefined, []]);
    });

    it('and hears what it says of itself though its marker cannot be read', async () => {
      await examined(redisOf(`${INFO}cluster_enabled:1\r\n`, refusalOf('CLUSTERDOWN Hash slot not served')));
      expect([noted.trust.runId, noted.events]).toEqual([
        'abc',
        [{ type: 'node-warning', reason: expect.stringMatching(/cluster/) }],
      ]);
    });
  });
});
