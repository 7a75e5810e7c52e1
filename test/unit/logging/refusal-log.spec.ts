import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LockHolder } from '../../../lib/engine/process-mark.js';
import type { RefusalCode } from '../../../lib/engine/events.js';
import { shown } from '../../../lib/engine/names.js';
import { RefusalLog } from '../../../lib/logging/refusal-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const HOLDER = { application: 'orders', host: 'web-1', pid: 17 };
const ORDERS = { holder: 'orders@web-1#17', process: HOLDER };
const BY_ORDERS = 'held by orders@web-1#17';

describe('the log of refused calls', () => {
  let clock: VirtualClock;
  let lines: string[];
  let log: RefusalLog;
  const refuse = (resource: string, cause?: LockHolder, code: RefusalCode = 'RESOURCE_LOCKED'): void =>
    log.refused({ type: 'refused', resources: [resource], waited: 1, code, cause });

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    log = new RefusalLog({ debug: (line: unknown) => void lines.push(String(line)) }, { clock, names: shown });
  });
  afterEach(() => Logger.overrideLogger(['log', 'error', 'warn', 'debug', 'verbose', 'fatal']));

  it('has one line for a burst: which locks, how many calls, and which processes hold them', async () => {
    for (let call = 1; call <= 100; call += 1) refuse(`user:${call}`, ORDERS);
    refuse('job', { holder: 'node@web-2#5', process: { ...HOLDER, host: 'web-2' } });
    refuse('job');
    expect(lines).toEqual([]);
    await clock.advance(1_000);
    expect(lines).toEqual([
      `Refused: 100 calls for "user:*", ${BY_ORDERS}; 1 call for "job", held by node@web-2#5; ` +
        '1 call for "job", held by an unknown process',
    ]);
    await clock.advance(60_000);
    expect([lines.length, clock.timers]).toEqual([1, 0]);
  });

  it('has one line a second of a flood, counts each call, and names five locks in each', async () => {
    for (let round = 0; round < 100; round += 1) {
      for (let call = 0; call < 20; call += 1) refuse(`resource ${call}`.replace(' ', '-'), ORDERS);
      await clock.advance(100);
    }
    await clock.advance(1_000);
    expect(lines.length).toBeLessThanOrEqual(11);
    const counted = lines.flatMap((line) => [...line.matchAll(/(\d+) calls/g)].map(([, calls]) => Number(calls)));
    expect(counted.reduce((sum, calls) => sum + calls, 0)).toBe(2_000);
    for (const line of lines) {
      expect(line.match(/held by/g)).toHaveLength(5);
      expect(line).toMatch(/; \d+ calls for other locks$/);
    }
  });

  it('says nothing of calls that were refused for another reason', async () => {
    for (const code of ['QUORUM_NOT_REACHED', 'ABORTED', 'CLOSED', 'ERROR'] as const) refuse('a', undefined, code);
    expect(clock.timers).toBe(0);
    await clock.advance(1_000);
    expect(lines).toEqual([]);
  });

  it('does nothing when lines of this level are not shown', () => {
    Logger.overrideLogger(['log', 'warn', 'error']);
    refuse('a', ORDERS);
    expect(clock.timers).toBe(0);
  });

  it('says at the end what is pending, and leaves no timer', () => {
    refuse('a', ORDERS);
    log.stop();
    refuse('b', ORDERS);
    expect([lines, clock.timers]).toEqual([[`Refused: 1 call for "a", ${BY_ORDERS}`], 0]);
  });
});
