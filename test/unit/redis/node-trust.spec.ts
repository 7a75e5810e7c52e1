import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { systemClock } from '../../../lib/core/clock.js';
import type { NodeEvent } from '../../../lib/core/lock-node.js';
import { BatchEncoder } from '../../../lib/redis/batch-encoder.js';
import { NodeTrust } from '../../../lib/redis/node-trust.js';
import { DISTRUST } from '../../../lib/redis/trust-script.js';
import { wordsOf } from '../../support/command-words.js';

const GRANTED = { kind: 'granted', fence: 7 } as const;
const out = (remaining: number) => ({ kind: 'quarantined', remaining }) as const;
const INFO = 'run_id:abc\r\nrole:master\r\n';

const refusalOf = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

/** What the node answers to INFO and GET. */
function redisOf(info: string | Error, marker: string | Error | null = null): Redis {
  const reply = (value: unknown) => () => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value));
  return { info: reply(info), get: reply(marker), call: reply(1), sendCommand: reply(1) } as unknown as Redis;
}

describe('NodeTrust', () => {
  let events: NodeEvent[];
  let sent: string[][];
  let trust: NodeTrust;
  const trustOf = (restartQuarantine = true): NodeTrust =>
    new NodeTrust(new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine }), {
      tell: (event) => void events.push(event),
      send: (_name, wire) => void sent.push(...wordsOf(wire)),
    });
  /** An answer to a vote, that comes with the node's clock being so far ahead of ours. */
  const hear = (ahead: number): void => {
    const now = systemClock.now();
    trust.heard({ ok: true, value: 1 + 1_024 * Math.floor(now.wall + ahead) }, now);
  };
  const types = (): string[] => events.map(({ type }) => type);

  beforeEach(() => {
    jest.useFakeTimers();
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

  describe('of a node whose clock was set', () => {
    it.each([-60_000, 60_000])('by %i ms counts no vote for maxTtl, whatever the node says', (step) => {
      hear(0);
      hear(step);
      expect(trust.count(GRANTED)).toEqual(out(1_000));
      jest.advanceTimersByTime(999);
      expect(trust.count(GRANTED)).toEqual(out(1));
      jest.advanceTimersByTime(1);
      expect(trust.count(GRANTED)).toBe(GRANTED);
      expect(events).toEqual([
        { type: 'node-quarantined', reason: expect.stringMatching(/clock was set by \d+ ms/), remaining: 1_000 },
        { type: 'node-trusted' },
      ]);
    });

    it('has it distrusted by all clients, by the marker on the node', () => {
      hear(0);
      hear(60_000);
      expect(sent).toEqual([['EVAL', DISTRUST, '1', 'p:~node', '1000']]);
    });

    it('is not fooled by an answer to a probe that was sent before', () => {
      hear(0);
      hear(60_000);
      expect(trust.probed({ ok: true, value: 0 })).toMatchObject({ kind: 'quarantined' });
      expect(types()).toEqual(['node-quarantined']);
    });

    it('says nothing where nobody cares for restarts', () => {
      trust = trustOf(false);
      for (const ahead of [0, 60_000]) hear(ahead);
      expect([trust.count(GRANTED), events, sent]).toEqual([GRANTED, [], []]);
    });

    it('knows it by answers that come with a clock only', () => {
      hear(0);
      trust.heard({ ok: true, value: 3 }, systemClock.now());
      trust.heard({ ok: false, reason: 'connection closed', sent: true }, systemClock.now());
      trust.heard({ ok: true, value: 1 + 1_024 * (Date.now() + 60_000) }, undefined);
      expect(events).toEqual([]);
      trust.heard({ ok: true, value: ['g', '7', Date.now() + 60_000] }, systemClock.now());
      expect(types()).toEqual(['node-quarantined']);
    });

    it('forgets no step because the connection was made anew', async () => {
      trust.examine(redisOf(INFO));
      await trust.examined;
      hear(0);
      trust.examine(redisOf(INFO));
      await trust.examined;
      hear(60_000);
      expect(types()).toEqual(['node-quarantined']);
    });

    it('takes another node at the end of a new connection for no step', async () => {
      trust.examine(redisOf(INFO));
      await trust.examined;
      hear(0);
      trust.examine(redisOf('run_id:def\r\nrole:master\r\n'));
      await trust.examined;
      hear(60_000);
      expect(events).toEqual([]);
    });
  });

  describe('by a probe', () => {
    it.each<[string, unknown, object]>([
      ['a node that votes', 0, { kind: 'up' }],
      ['a node that does not', ['', 400, 1_700_000_000_000], out(400)],
      [
        'a node that cannot be asked who it is',
        ['', -1, 1_700_000_000_000],
        { kind: 'unknown', reason: expect.stringMatching(/may not run INFO/) },
      ],
    ])('knows %s', (_case, value, answer) => {
      expect(trust.probed({ ok: true, value })).toMatchObject(answer);
    });

    it('tells that the node is out and back, as a vote does', () => {
      for (const value of [['', 400, 1_700_000_000_000], 0]) trust.probed({ ok: true, value });
      expect(types()).toEqual(['node-quarantined', 'node-trusted']);
    });

    it('knows why there is no answer, and needs no more than one where nobody cares for restarts', () => {
      const reply = { ok: false, reason: 'connection closed', sent: false } as const;
      expect(trust.probed(reply)).toEqual({ kind: 'unknown', reason: 'connection closed', sent: false });
      expect(trustOf(false).probed({ ok: true, value: 'PONG' })).toEqual({ kind: 'up' });
      expect(events).toEqual([]);
    });
  });

  describe('examines a node', () => {
    const examined = async (redis: Redis): Promise<void> => {
      trust.examine(redis);
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
