import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Recipe } from '../../support/recipes/recipe.js';

/** Words of a page that is read in a minute or two. */
const MOST_WORDS = 350;

/** The files of each recipe; that of exactly-once.md has another form, and a spec of its own. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'cache-stampede': ['prices.service.ts'],
  'cron-once': ['invoices.job.ts'],
  'double-submit': ['order-form.ts', 'app.module.ts'],
  'long-job': ['reindex.job.ts'],
  'many-jobs': ['all.jobs.ts', 'coordinator.ts'],
  'one-poller': ['feed.poller.ts'],
  'queue-consumers': ['changes.processor.ts'],
  'readers-and-writers': ['catalogue.service.ts'],
  stock: ['stock.service.ts'],
  'three-exports': ['exports.service.ts'],
  transfer: ['transfer.service.ts'],
  webhooks: ['webhooks.controller.ts', 'app.module.ts'],
};

const NAMES = Object.keys(FILES);
const recipes = new Map(NAMES.map((name) => [name, new Recipe(`docs/recipes/${name}.md`)]));
const FORM = ['**Read this if** ', '## The code', '## What it guarantees', '## What it does not', '**Next:** ['];

describe('the recipes', () => {
  it('are all known here, and run by a spec', () => {
    const pages = readdirSync('docs/recipes').filter((page) => page !== 'exactly-once.md');
    expect(pages.sort()).toEqual(NAMES.map((name) => `${name}.md`));
    expect(NAMES.filter((name) => !existsSync(`test/e2e/recipes/${name}.spec.ts`))).toEqual([]);
  });

  it('have the code that they are to have', () => {
    expect(Object.fromEntries(NAMES.map((name) => [name, recipes.get(name)!.files]))).toEqual(FILES);
  });

  it.each(NAMES)('have one form, and are short: %s', (name) => {
    const text = readFileSync(`docs/recipes/${name}.md`, 'utf8');
    const parts = FORM.map((part) => text.indexOf(`\n${part}`));
    expect(text.startsWith('# ')).toBe(true);
    expect(parts).not.toContain(-1);
    expect(parts).toEqual([...parts].sort((one, other) => one - other));
    expect(text.endsWith('\n[All pages](../README.md)\n')).toBe(true);
    expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(MOST_WORDS);
  });
});
