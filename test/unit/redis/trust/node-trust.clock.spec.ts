import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Command, Redis } from 'ioredis';
import type { NodeTrust } from '../../../../lib/redis/trust/node-trust.js';
import { DISTRUST } from '../../../../lib/redis/scripts/trust-script.js';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';
import { GRANTED, infoOf, NotedTrust, out, redisOf } from '../../../support/noted-trust.js';

describe('NodeTrust, of a node whose clock was set,', () => {
  let noted: NotedTrust;
  const hear = (ahead: number, trust = noted.trust): void => noted.hear(ahead, trust);

  beforeEach(() => {
    jest.useFakeTimers();
    noted = new NotedTrust();
  });
  afterEach(() => void jest.useRealTimers());

  it.each([-60_000, 60_000])('by %i ms counts no vote for maxTtl, whatever the node says', (step) => {
    hear(0);
    hear(step);
    expect(noted.trust.count(GRANTED)).toEqual(out(1_000));
    jest.advanceTimersByTime(999);
    expect([noted.trust.count(GRANTED), noted.trust.allows(7)]).toEqual([out(1), false]);
    jest.advanceTimersByTime(1);
    expect([noted.trust.count(GRANTED), noted.trust.allows(7)]).toEqual([GRANTED, true]);
    expect(noted.events).toEqual([
      { type: 'node-quarantined', reason: expect.stringMatching(/clock was set by \d+ ms/), remaining: 1_000 },
      { type: 'node-trusted' },
    ]);
  });

  it('has it distrusted by all clients, by the marker on the node', () => {
    hear(0);
    hear(60_000);
    expect(noted.sent).toEqual([['EVAL', DISTRUST, '1', 'p:~node', '1000', '0']]);
  });

  it('has it told again on a new connection, unless that leads to another node', async () => {
    const connect = async (run: string): Promise<void> => {
      await noted.leadTo(run);
      noted.trust.pay();
    };
    await connect('abc');
    hear(0);
    noted.answer = { ok: false, reason: 'connection closed', sent: true };
    hear(60_000);
    await connect('abc');
    expect(noted.sent).toHaveLength(2);
    await connect('def');
    expect(noted.sent).toHaveLength(2);
    await connect('abc');
    expect(noted.sent).toHaveLength(3);
  });

  it('says nothing when restarts do not count', () => {
    const trust = noted.trustOf(false);
    for (const ahead of [0, 60_000]) hear(ahead, trust);
    expect([trust.count(GRANTED), noted.events, noted.sent]).toEqual([GRANTED, [], []]);
  });

  it('knows it by answers that come with a clock only', () => {
    hear(0);
    noted.trust.heard({ ok: true, value: 3 }, noted.clock.now());
    noted.trust.heard({ ok: false, reason: 'connection closed', sent: true }, noted.clock.now());
    noted.trust.heard({ ok: true, value: 1 + 1_024 * (Date.now() + 60_000) }, undefined);
    expect(noted.events).toEqual([]);
    noted.trust.heard({ ok: true, value: ['g', '7', Date.now() + 60_000] }, noted.clock.now());
    expect(noted.types).toEqual(['node-quarantined']);
  });

  it('knows it by what time comes with a grant, which does not count then', () => {
    hear(0);
    expect(noted.trust.allows(7, noted.clock.now(), Date.now())).toBe(true);
    expect(noted.trust.allows(7, noted.clock.now())).toBe(true);
    expect(noted.trust.allows(7, noted.clock.now(), Date.now() + 60_000)).toBe(false);
    expect(noted.types).toEqual(['node-quarantined']);
  });

  it('forgets no step because the connection was made again', async () => {
    await noted.leadTo('abc');
    hear(0);
    await noted.leadTo('abc');
    hear(60_000);
    expect(noted.types).toEqual(['node-quarantined']);
  });

  it('takes another node at the end of a new connection for no step', async () => {
    await noted.leadTo('abc');
    hear(0);
    await noted.leadTo('def');
    hear(60_000);
    expect(noted.events).toEqual([]);
  });
});

describe('NodeTrust, where an address leads away and back,', () => {
  it('notices that the clock of the server was set meanwhile', async () => {
    const noted = new NotedTrust();
    for (const run of ['abc', 'def']) {
      await noted.leadTo(run);
      noted.hear(0);
    }
    await noted.leadTo('abc');
    noted.hear(60_000);
    expect(noted.types).toEqual(['node-quarantined']);
  });

  it('keeps the clocks of a few runs only', async () => {
    const noted = new NotedTrust();
    for (let run = 0; run < 9; run += 1) {
      await noted.leadTo(`run-${run}`);
      noted.hear(0);
    }
    await noted.leadTo('run-0');
    noted.hear(60_000);
    expect(noted.types).toEqual([]);
    await noted.leadTo('run-8');
    noted.hear(60_000);
    expect(noted.types).toEqual(['node-quarantined']);
  });
});

describe('NodeTrust, of what time a node has,', () => {
  /** Ms by which its clock is ahead of our wall clock. */
  const AHEAD = 5_000;
  const noted = new NotedTrust();
  const { clock } = noted;
  const told = (): Reply => ({ ok: true, value: 1_024 * (Date.now() + AHEAD) });
  const expectKnown = (trust: NodeTrust): void => {
    const { monotonic, wall } = clock.now();
    const { least, most } = trust.clockAhead!;
    expect(Math.abs((least + most) / 2 - (wall - monotonic) - AHEAD)).toBeLessThan(100);
  };

  describe.each([true, false])('with quarantine: %p', (restartQuarantine) => {
    it('knows nothing at first', () => {
      expect(noted.trustOf(restartQuarantine).clockAhead).toBeUndefined();
    });

    it('knows it by any answer that tells it', () => {
      const trust = noted.trustOf(restartQuarantine);
      trust.heard({ ok: true, value: 3 }, clock.now());
      trust.heard({ ok: false, reason: 'connection closed', sent: true }, clock.now());
      expect(trust.clockAhead).toBeUndefined();
      trust.heard(told(), clock.now());
      expectKnown(trust);
    });

    it('knows it as soon as it is connected, together with the run id of the node', async () => {
      const trust = noted.trustOf(restartQuarantine);
      for (const run of ['abc', 'def']) {
        void trust.examine({
          ...redisOf(infoOf(run)),
          sendCommand: (command: Command) => Promise.resolve(command.resolve((told() as { value: unknown }).value)),
        } as unknown as Redis);
        await trust.introduced();
        expect(trust.runId).toBe(run);
        expectKnown(trust);
      }
    });

    it('is introduced though the node tells nothing', async () => {
      const trust = noted.trustOf(restartQuarantine);
      void trust.examine({
        ...redisOf(infoOf('abc')),
        sendCommand: (command: Command) => Promise.resolve(command.reject(new Error('Connection is closed.'))),
      } as unknown as Redis);
      await trust.introduced();
      expect(trust.clockAhead).toBeUndefined();
    });
  });
});
