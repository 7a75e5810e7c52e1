import { describe, expect, it, jest } from '@jest/globals';
import { machineClocks } from '../../../../lib/core/time/suspension-watch.js';

describe('machineClocks', () => {
  it('are those of this machine', () => {
    const [before, wall] = [performance.now(), Date.now()];
    expect(machineClocks.monotonic()).toBeGreaterThanOrEqual(before);
    expect(machineClocks.wall()).toBeGreaterThanOrEqual(wall);
    expect(machineClocks.uptime()).toBeGreaterThan(0);
  });

  it.each(['modern', 'legacy'])('stay those of this machine while a test fakes the clock: %s', (kind) => {
    const [before, wall] = [performance.now(), Date.now()];
    jest.useFakeTimers(kind === 'legacy' ? { legacyFakeTimers: true } : { now: 0 });
    try {
      expect(machineClocks.monotonic()).toBeGreaterThanOrEqual(before);
      expect(machineClocks.wall()).toBeGreaterThanOrEqual(wall);
      expect(machineClocks.uptime()).toBeGreaterThan(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
