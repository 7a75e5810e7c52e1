import { expect, it } from '@jest/globals';
import { traceHash } from '../../../sample-app/playground/grants.js';
import { playSeed } from '../../../sample-app/playground/scenes/seed.js';
import { Model } from '../../model/model.js';
import { describeInBrowser, PlaygroundBrowser } from './browser.js';

const SEEDS = 100;

describeInBrowser('the traces of the playground', () => {
  const browser = new PlaygroundBrowser();

  it('are the same in Node and in Chromium, for 100 seeds', async () => {
    const page = await browser.open('?frame=free');
    const theirs = page.evaluate<string[]>(
      `(async () => {
        const hashes = [];
        for (let seed = 0; seed < ${SEEDS}; seed += 1) hashes.push(await playground.traceHash(seed));
        return hashes;
      })()`,
    );
    const ours: string[] = [];
    for (let seed = 0; seed < SEEDS; seed += 1) ours.push(await traceHash(seed));
    expect(await theirs).toEqual(ours);
    expect(new Set(ours).size).toBe(SEEDS);
    expect(browser.complaints).toEqual([]);
  }, 300_000);

  it('are not changed by writing them down', async () => {
    for (let seed = 0; seed < 12; seed += 1) {
      const { grants, told } = await new Model(seed).run();
      const { verdict } = await playSeed(seed);
      expect(verdict).toBe(`${grants} grants, ${told} answers told, no rule broken`);
    }
  });
});
