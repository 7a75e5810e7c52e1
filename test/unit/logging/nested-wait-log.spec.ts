import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { quoted } from '../../../lib/engine/names.js';
import { NestedWaitLog } from '../../../lib/logging/nested-wait-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('the warning of a call that waits for what the code around it holds', () => {
  let clock: VirtualClock;
  let lines: string[];
  let log: NestedWaitLog;
  /** Which names no values. */
  let brief: NestedWaitLog;

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    const logger = Object.assign(new Logger('test'), { warn: (line: string) => void lines.push(line) });
    log = new NestedWaitLog(logger, { names: quoted, clock });
    brief = new NestedWaitLog(logger, { clock });
  });

  it('names the resources and what to do', () => {
    log.waitsForItself(['a', 'b'], ['b']);
    expect(lines).toEqual([
      expect.stringMatching(/^"b" is already held by this call\. The nested call for "a", "b" waits/),
    ]);
    expect(lines[0]).toMatch(/waits for its own caller until waitTimeout.*Take the lock once, or set reentrant: true/);
  });

  it('names no values where that is not asked for, and comes once for all resources of a kind', () => {
    for (const name of ['ann', 'bob']) brief.waitsForItself([`user:${name}@example.com`], [`user:${name}@example.com`]);
    expect(lines).toEqual([expect.stringMatching(/^"user:\*" is already held by this call.* for "user:\*" waits/)]);
  });

  it('comes once for the same resources, however often they are asked for, and again after a minute', async () => {
    for (let count = 0; count < 1_000; count += 1) log.waitsForItself(['a'], ['a']);
    log.waitsForItself(['b'], ['b']);
    expect(lines).toHaveLength(2);
    await clock.advance(60_000);
    log.waitsForItself(['a'], ['a']);
    expect(lines).toHaveLength(3);
  });

  it('does not flood the log either where each call asks for another resource', async () => {
    for (let count = 0; count < 1_000; count += 1) log.waitsForItself([`a:${count}`], [`a:${count}`]);
    expect(lines).toHaveLength(20);
    await clock.advance(60_000);
    log.waitsForItself(['a:999'], ['a:999']);
    expect(lines.at(-1)).toContain('"a:999"');
  });
});
