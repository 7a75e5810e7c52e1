import * as diagnostics from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { register } from 'prom-client';
import type { RedlockService } from 'nestjs-redlock';
import { PastedCode, removePasted } from '../pasted-code.js';
import { codeBlocks } from '../readme.js';

const FILE = 'redlock-metrics.ts';
const subscriptions: (() => void)[] = [];

/** Measures locks by the recipe of docs/operate/monitor.md, until `endRecipe`. */
export async function startRecipe(redlock: RedlockService): Promise<void> {
  // Channels belong to the process, and other files are run in it.
  const subscribe: typeof diagnostics.subscribe = (name, listener) => {
    diagnostics.subscribe(name, listener);
    subscriptions.push(() => diagnostics.unsubscribe(name, listener));
  };
  jest.unstable_mockModule('node:diagnostics_channel', () => ({ ...diagnostics, subscribe }));
  const blocks = codeBlocks(readFileSync('docs/operate/monitor.md', 'utf8'));
  const pasted = await PastedCode.write(blocks.filter(({ file }) => file === FILE));
  const recipe = await pasted.run<{ measureLocks(service: RedlockService): void }>(FILE);
  recipe.measureLocks(redlock);
  if (subscriptions.length === 0) throw new Error('the recipe has subscribed to nothing');
}

/** What a Prometheus server gets. */
export function scrapeRecipe(): Promise<string> {
  return register.metrics();
}

export async function endRecipe(): Promise<void> {
  for (const end of subscriptions.splice(0)) end();
  register.clear();
  await removePasted();
}
