import { complaints, type Chapter, type Findings } from '../check/verdict.js';
import type { PageChapter } from './page.js';
import { traceOf, type Cast } from './trace.js';

/** How many chapters are drawn where all is well, and how many with something wrong. */
const FIRST = 3;
const WRONG = 10;

/** The chapters that the page shows: a long run has more than a reader would look at. */
export class Gallery {
  readonly chapters: PageChapter[] = [];
  #number = 0;
  #wrong = 0;

  constructor(private readonly cast: Cast) {}

  add(chapter: Chapter, found: Findings): void {
    this.#number += 1;
    const wrong = complaints(found);
    if (wrong.length > 0) this.#wrong += 1;
    const isShown = wrong.length > 0 ? this.#wrong <= WRONG : this.#number <= FIRST;
    if (!isShown) return;
    const tells = `${chapter.faults.length} faults, ${found.holds} holds, recovered in ${Math.round(found.recovery)} ms.`;
    const trace = traceOf(chapter, this.cast, found);
    this.chapters.push({ name: `Chapter ${this.#number}`, tells, complaints: wrong, trace });
  }
}
