import { leaksOf } from './check/leaks.js';
import { unexplained } from './check/updates.js';
import { findingsOf, Past } from './check/verdict.js';
import { chaosChapters, keysAfterwards } from './chapters.js';
import type { Nemesis } from './nemeses/nemesis.js';
import { type Fault, PERMITS } from './record.js';
import type { ChaosOptions } from './options.js';
import { Gallery } from './report/gallery.js';
import { Totals } from './report/totals.js';
import type { Stage } from './stage/stage.js';

/** What a run with faults came to. */
export interface Weather {
  readonly totals: Totals;
  readonly gallery: Gallery;
}

/** Runs all chapters on a stage, and judges them. */
export async function runWeather(
  stage: Stage,
  options: Pick<ChaosOptions, 'duration' | 'chapter' | 'seed'> & { readonly nemeses: readonly Nemesis[] },
  tell: (line: string) => void = () => undefined,
): Promise<Weather> {
  const totals = new Totals();
  const gallery = new Gallery({
    nodes: stage.nodes.map(({ name }) => name),
    clients: stage.clients.map(({ name }) => name),
  });
  const past = new Past();
  const used = new Set<string>([`${PERMITS.resource}~all`]);
  let updates = 0;
  for await (const chapter of chaosChapters(stage, options)) {
    const found = findingsOf(chapter, past);
    const before = totals.complaints.length;
    totals.add(chapter, found);
    totals.failures.push(...chapter.failures);
    gallery.add(chapter, found);
    const lost = unexplained(stage.store.lostUpdates.slice(updates), chapter.history.holds);
    updates = stage.store.lostUpdates.length;
    totals.complaints.push(...lost.map(({ writer, other }) => `${writer} undid what ${other} wrote, both in time`));
    for (const { resource } of chapter.history.asks) used.add(resource);
    for (const { resource } of chapter.history.holds) used.add(resource);
    for (const { key } of chapter.history.onces) used.add(key);
    tell(progress(totals, found.recovery));
    const complaints = totals.complaints.slice(before);
    for (const complaint of complaints) tell(`! ${complaint}`);
    if (complaints.length > 0) for (const fault of chapter.faults) tell(`  ${told(fault)}`);
  }
  totals.complaints.push(...stage.store.fencedFaults, ...totals.tooManyStillborn, ...totals.wrongAnswers);
  totals.complaints.push(...leaksOf(await keysAfterwards(stage), 'chaos:', used).map((leak) => `left behind: ${leak}`));
  return { totals, gallery };
}

function progress(
  { chapters, holds, overlaps, tokensBackward, twoAnswers, complaints }: Totals,
  recovery: number,
): string {
  const wrong = `${overlaps} overlaps, ${tokensBackward} tokens back, ${complaints.length} complaints`;
  return `chapter ${chapters}: ${holds} holds so far, ${wrong}, ${twoAnswers.length} keys with two answers, recovered in ${Math.round(recovery)} ms`;
}

/** Names a fault, and when it happened: ms of the clock of the machine. */
function told({ name, where, from, to }: Fault): string {
  return `${Math.round(from)} to ${Math.round(to)}: ${name} at ${where.join(', ')}`;
}
