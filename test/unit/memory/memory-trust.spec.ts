import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryTrust } from '../../../lib/memory/memory-trust.js';

describe('MemoryTrust', () => {
  let now: number;
  let trust: MemoryTrust;
  const trustOf = (maxTtl = 1_000): MemoryTrust => new MemoryTrust(() => now, { maxTtl, restartQuarantine: true });
  const trusted = (): void => {
    trust.quarantine();
    now += 1_000;
  };

  beforeEach(() => {
    now = 1_700_000_000_000;
    trust = trustOf();
  });

  it('keeps a new node out of the vote for maxTtl, from the first question on', () => {
    now += 5_000;
    expect(trust.quarantine()).toBe(1_000);
    now += 999;
    expect(trust.quarantine()).toBe(1);
    now += 1;
    expect(trust.quarantine()).toBe(0);
    now += 60_000;
    expect(trust.quarantine()).toBe(0);
  });

  it('keeps one that was restarted out again', () => {
    trusted();
    trust.restart();
    expect(trust.quarantine()).toBe(1_000);
  });

  it('keeps one that was emptied out again', () => {
    trusted();
    trust.marker = undefined;
    expect(trust.quarantine()).toBe(1_000);
  });

  it('keeps one that has its marker of an earlier run out again', () => {
    trusted();
    const { marker } = trust;
    trust.restart();
    trust.marker = marker;
    expect(trust.quarantine()).toBe(1_000);
  });

  it('begins again where the marker comes from the future: the clock was set back', () => {
    trusted();
    now -= 60_000;
    expect(trust.quarantine()).toBe(1_000);
  });

  it('keeps to the greater maxTtl of a marker that it finds', () => {
    trust.quarantine();
    trust.marker = { ...trust.marker!, maxTtl: 3_000 };
    expect(trust.quarantine()).toBe(3_000);
    trust.restart();
    now += 5_000;
    expect(trust.quarantine()).toBe(3_000);
  });

  it('lets every node vote at once where it is off, which is what tests mean that do not say', () => {
    expect(new MemoryTrust(() => now, { restartQuarantine: false }).quarantine()).toBe(0);
    const silent = new MemoryTrust(() => now, {});
    silent.restart();
    expect([silent.quarantine(), silent.maxTtl]).toEqual([0, 30_000]);
  });
});
