import { describe, expect, it, jest } from '@jest/globals';
import { machineClocks } from '../../../../lib/core/time/suspension-watch.js';

describe('machineClocks', () => {
  it('are those of this machine', () => {
    const [before, wall] = [performance.now(), Date.now()];
    expect(machineClocks.monotonic()).toBeGreaterThanOrEqual(before);
    expect(machineClocks.wall()).toBeGreaterThanOrEqual(wall);
    expect(machineClocks.uptime()).toBeGreaterThan(0);
  });

  it('know no uptime while a test has put other clocks in their place', () => {
    jest.useFakeTimers();
    try {
      expect(machineClocks.uptime()).toBeUndefined();
    } finally {
      jest.useRealTimers();
    }
  });
});
