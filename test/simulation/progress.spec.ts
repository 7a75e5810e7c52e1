import { describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';

describe('Progress', () => {
  it('tells every 20 s how far it is', () => {
    const lines: string[] = [];
    let now = 1_000;
    const progress = new Progress(
      10_000,
      (line) => lines.push(line),
      () => now,
    );
    for (const seeds of [1_000, 2_000, 3_000, 4_000, 5_000]) {
      now += 10_000;
      progress.tell({ seeds, events: 0, holds: 0, failed: undefined });
    }
    expect(lines).toEqual([
      '2000 of 10000 seeds, 100 seeds/s, 2 min left',
      '4000 of 10000 seeds, 100 seeds/s, 1 min left',
    ]);
  });

  it('tells at once which seed has failed, once, and of an earlier one too', () => {
    const lines: string[] = [];
    const progress = new Progress(1_000, (line) => lines.push(line));
    for (const failed of [undefined, 250, 250, 120]) progress.tell({ seeds: 1, events: 0, holds: 0, failed });
    expect(lines).toEqual(['seed 250 failed', 'seed 120 failed']);
  });
});
