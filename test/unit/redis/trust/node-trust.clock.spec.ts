import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Command, Redis } from 'ioredis';
import type { NodeEvent } from '../../../../lib/core/port/lock-node.js';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../../lib/redis/batch/batch-encoder.js';
import { NodeTrust } from '../../../../lib/redis/trust/node-trust.js';
import { DISTRUST } from '../../../../lib/redis/scripts/trust-script.js';
import type { Reply } from '../../../../lib/redis/connection/wire-command.js';
import { wordsOf } from '../../../support/command-words.js';

const GRANTED = { kind: 'granted', fence: 7 } as const;
const out = (remaining: number) => ({ kind: 'quarantined', remaining }) as const;

/** What the node answers to INFO. */
function redisOf(run: string): Redis {
  const reply = (value: unknown) => () => Promise.resolve(value);
  const info = reply(`run_id:${run}\r\nrole:master\r\n`);
  return { info, get: reply(null), exists: reply(0), call: reply(1), sendCommand: reply(1) } as unknown as Redis;
}

describe('NodeTrust, of a node whose clock was set,', () => {
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
  /** An answer to a vote, that comes with the node's clock being so far ahead of ours. */
  const hear = (ahead: number): void => {
    const now = clock.now();
    trust.heard({ ok: true, value: 1 + 1_024 * Math.floor(now.wall + ahead) }, now);
  };
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

  it.each([-60_000, 60_000])('by %i ms counts no vote for maxTtl, whatever the node says', (step) => {
    hear(0);
    hear(step);
    expect(trust.count(GRANTED)).toEqual(out(1_000));
    jest.advanceTimersByTime(999);
    expect([trust.count(GRANTED), trust.allows(7)]).toEqual([out(1), false]);
    jest.advanceTimersByTime(1);
    expect([trust.count(GRANTED), trust.allows(7)]).toEqual([GRANTED, true]);
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

  it('says nothing where nobody cares for restarts', () => {
    trust = trustOf(false);
    for (const ahead of [0, 60_000]) hear(ahead);
    expect([trust.count(GRANTED), events, sent]).toEqual([GRANTED, [], []]);
  });

  it('knows it by answers that come with a clock only', () => {
    hear(0);
    trust.heard({ ok: true, value: 3 }, clock.now());
    trust.heard({ ok: false, reason: 'connection closed', sent: true }, clock.now());
    trust.heard({ ok: true, value: 1 + 1_024 * (Date.now() + 60_000) }, undefined);
    expect(events).toEqual([]);
    trust.heard({ ok: true, value: ['g', '7', Date.now() + 60_000] }, clock.now());
    expect(types()).toEqual(['node-quarantined']);
  });

  it('knows it by what time comes with a grant, which does not count then', () => {
    hear(0);
    expect(trust.allows(7, clock.now(), Date.now())).toBe(true);
    expect(trust.allows(7, clock.now())).toBe(true);
    expect(trust.allows(7, clock.now(), Date.now() + 60_000)).toBe(false);
    expect(types()).toEqual(['node-quarantined']);
  });

  it('forgets no step because the connection was made anew', async () => {
    void trust.examine(redisOf('abc'));
    await trust.examined;
    hear(0);
    void trust.examine(redisOf('abc'));
    await trust.examined;
    hear(60_000);
    expect(types()).toEqual(['node-quarantined']);
  });

  it('takes another node at the end of a new connection for no step', async () => {
    void trust.examine(redisOf('abc'));
    await trust.examined;
    hear(0);
    void trust.examine(redisOf('def'));
    await trust.examined;
    hear(60_000);
    expect(events).toEqual([]);
  });
});

describe('NodeTrust, of what time a node has,', () => {
  /** Ms by which its clock is ahead of our wall clock. */
  const AHEAD = 5_000;
  const clock = new SystemClock();
  const trustOf = (restartQuarantine: boolean): NodeTrust =>
    new NodeTrust(new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine }, clock), {
      tell: () => undefined,
      send: () => undefined,
      clock,
    });
  const told = (): Reply => ({ ok: true, value: 1_024 * (Date.now() + AHEAD) });
  const expectKnown = (trust: NodeTrust): void => {
    const { monotonic, wall } = clock.now();
    const { least, most } = trust.clockAhead!;
    expect(Math.abs((least + most) / 2 - (wall - monotonic) - AHEAD)).toBeLessThan(100);
  };

  describe.each([true, false])('with quarantine: %p', (restartQuarantine) => {
    it('knows nothing at first', () => {
      expect(trustOf(restartQuarantine).clockAhead).toBeUndefined();
    });

    it('knows it by any answer that tells it', () => {
      const trust = trustOf(restartQuarantine);
      trust.heard({ ok: true, value: 3 }, clock.now());
      trust.heard({ ok: false, reason: 'connection closed', sent: true }, clock.now());
      expect(trust.clockAhead).toBeUndefined();
      trust.heard(told(), clock.now());
      expectKnown(trust);
    });

    it('knows it as soon as it is connected, and of whom', async () => {
      const trust = trustOf(restartQuarantine);
      for (const run of ['abc', 'def']) {
        void trust.examine({
          ...redisOf(run),
          sendCommand: (command: Command) => Promise.resolve(command.resolve((told() as { value: unknown }).value)),
        } as unknown as Redis);
        await trust.introduced();
        expect(trust.runId).toBe(run);
        expectKnown(trust);
      }
    });

    it('is introduced though the node tells nothing', async () => {
      const trust = trustOf(restartQuarantine);
      void trust.examine({
        ...redisOf('abc'),
        sendCommand: (command: Command) => Promise.resolve(command.reject(new Error('Connection is closed.'))),
      } as unknown as Redis);
      await trust.introduced();
      expect(trust.clockAhead).toBeUndefined();
    });
  });
});
