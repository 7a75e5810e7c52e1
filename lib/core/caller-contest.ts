import type { Contest } from './contention.js';
import type { LockListener } from './events.js';
import type { Lost } from './outcome.js';

/** What one caller wants; tells once that somebody else has it. */
export class CallerContest implements Contest {
  readonly resources: Contest['resources'];
  readonly terms: Contest['terms'];
  readonly patience: Contest['patience'];
  #told = false;

  constructor(
    { resources, terms, patience }: Omit<Contest, 'onLost'>,
    private readonly emit: LockListener,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.patience = patience;
  }

  onLost({ kind }: Pick<Lost, 'kind'>): void {
    if (kind !== 'contended' || this.#told) return;
    this.#told = true;
    this.emit({ type: 'contended', resources: this.resources });
  }
}
