import { afterAll, describe, expect, it } from '@jest/globals';
import { ModelBundle } from './bundle.js';
import { SHARED_CONTROLS } from './controls-shared.js';
import { CONTROLS, ONCE } from './controls.js';
import { ORDERS } from './explore.js';

/** Of each kind; `npm run simulate` runs more. */
const WORLDS = 150;
const WORLDS_OF_CONTROL = 1_500;
const SOME_ORDERS = 6_000;

describe('the engine in worlds with faults', () => {
  const bundles: ModelBundle[] = [];
  const bundle = async (...args: Parameters<typeof ModelBundle.make>): Promise<ModelBundle> => {
    const made = await ModelBundle.make(...args);
    bundles.push(made);
    return made;
  };
  afterAll(() => Promise.all(bundles.map((one) => one.remove())));

  it('never has two holders, never repeats a token, and serves everybody', async () => {
    const { worlds, grants, bad } = await (await bundle()).run(0, WORLDS, { kind: 'locks' });
    expect(bad).toEqual([]);
    expect(worlds).toBe(WORLDS);
    expect(grants).toBeGreaterThan(10 * WORLDS);
  }, 300_000);

  it('never has more holders than a limit, nor two leaders, and hands a role over after the clean-up', async () => {
    const { terms, grants, bad } = await (await bundle()).run(0, WORLDS, { kind: 'shared' });
    expect(bad).toEqual([]);
    expect(grants).toBeGreaterThan(50 * WORLDS);
    expect(terms).toBeGreaterThan(2 * WORLDS);
  }, 300_000);

  it('tells all callers of a key the same answer, whatever becomes of leases, nodes and callers', async () => {
    const usual = await (await bundle()).run(0, WORLDS / 3, { kind: 'locks', once: 1, foreign: 0 });
    const harsh = await (await bundle()).run(0, WORLDS, { kind: 'locks', ...ONCE });
    expect([usual.bad, harsh.bad]).toEqual([[], []]);
    expect(usual.told + harsh.told).toBeGreaterThan(50 * WORLDS);
  }, 300_000);

  it('serves three callers one after the other, in whatever order their first messages arrive', async () => {
    const { worlds, bad } = await (await bundle()).run(0, SOME_ORDERS, { explore: true });
    expect([worlds, bad]).toEqual([SOME_ORDERS, []]);
    expect(ORDERS).toBe(61_440);
    const half = CONTROLS.find(({ rule }) => rule === 'a quorum is more than half of the nodes')!;
    const found = await (await bundle(half.changes)).run(0, SOME_ORDERS, { explore: true, stop: true });
    expect(found.bad).toEqual([{ seed: expect.any(Number), violation: expect.stringMatching(/TWO HOLDERS/) }]);
  }, 300_000);

  it.each(
    [
      ...CONTROLS.map((control) => ({ ...control, kind: 'locks' as const })),
      ...SHARED_CONTROLS.map((control) => ({ ...control, kind: 'shared' as const })),
    ].map((control) => [control.rule, control] as const),
  )(
    'needs the rule: %s',
    async (_rule, { changes, sees, choices, kind }) => {
      const { bad } = await (await bundle(changes)).run(0, WORLDS_OF_CONTROL, { ...choices, kind, stop: true });
      expect(bad).toEqual([{ seed: expect.any(Number), violation: expect.stringMatching(sees) }]);
    },
    300_000,
  );
});
