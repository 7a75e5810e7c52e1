import { complaints, type Chapter, type Findings } from '../check/verdict.js';
import type { PageChapter } from './page.js';
import { Timeline } from './timeline.js';

/** How many chapters are drawn where all is well, and how many with something wrong. */
const FIRST = 3;
const WRONG = 10;

/** The chapters that the page shows: a long run has more than a reader would look at. */
export class Gallery {
  readonly chapters: PageChapter[] = [];
  #number = 0;
  #wrong = 0;

  constructor(private readonly rows: { readonly nodes: readonly string[]; readonly clients: readonly string[] }) {}

  add(chapter: Chapter, found: Findings): void {
    this.#number += 1;
    const wrong = complaints(found);
    if (wrong.length > 0) this.#wrong += 1;
    const isShown = wrong.length > 0 ? this.#wrong <= WRONG : this.#number <= FIRST;
    if (!isShown) return;
    const svg = new Timeline(chapter, this.rows, found.overlaps).draw();
    const title = `Chapter ${this.#number}: ${chapter.faults.length} faults, ${found.holds} holds, recovered in ${Math.round(found.recovery)} ms`;
    this.chapters.push({ title, svg, complaints: wrong });
  }
}
