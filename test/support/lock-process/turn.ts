import type { LockOptions } from '../../../lib/engine/options.js';
import type { LockProcess, Message } from './lock-process.js';

/** What a turn came to: the lock, the code of an error, or the end of its process. */
export type Outcome = 'acquired' | 'died' | (string & {});

/**
 * When a process asked for a lock, and for how long it provably had it: in ms of the clock that all processes share.
 */
export interface Hold {
  readonly name: string;
  readonly asked: number;
  readonly from: number;
  readonly to: number;
}

export interface TurnTerms {
  readonly resource: string | readonly string[];
  readonly options?: Omit<LockOptions, 'signal'>;
  /** Ms after which the lock is given back; by default it is kept until `release`. */
  readonly hold?: number;
}

/** One call of `acquire` in another process. */
export class Turn {
  /** When it was asked for, by the wall clock. */
  readonly asked: Promise<number>;
  readonly outcome: Promise<Outcome>;
  /** Resolves when it is released, and with undefined where it was not. */
  readonly hold: Promise<Hold | undefined>;
  #looks = 0;

  constructor(
    readonly process: LockProcess,
    readonly id: string,
  ) {
    this.asked = process.heard(id, ['asked']).then(({ at }) => at!);
    this.outcome = process.heard(id, ['acquired', 'failed']).then(outcomeOf);
    this.hold = this.#held();
  }

  /** Resolves when a quorum of the nodes has heard of it. */
  async release(): Promise<void> {
    this.process.order('release', { id: this.id });
    await this.process.heard(this.id, ['over']);
  }

  /** Ms for which it is still valid. */
  async validity(): Promise<number> {
    const look = `${this.id}/${(this.#looks += 1)}`;
    this.process.order('look', { id: this.id, look });
    return (await this.process.heard(look, ['looked'])).validity!;
  }

  async #held(): Promise<Hold | undefined> {
    const taken = await this.process.heard(this.id, ['acquired', 'failed']);
    if (taken.what !== 'acquired') return undefined;
    const given = await this.process.heard(this.id, ['released']);
    const { asked, from } = taken as Required<Message>;
    if (given.what === 'released') return { name: this.id, asked, from, to: given.to! };
    return { name: this.id, asked, from, to: Math.min(taken.until!, this.process.diedAt!) };
  }
}

function outcomeOf({ what, code }: Message): Outcome {
  return what === 'failed' ? code! : what;
}

/** Of two holds that overlap, their names; none where every one ended before the next began. */
export function overlaps(holds: readonly Hold[]): string[] {
  const sorted = [...holds].sort((a, b) => a.from - b.from);
  return sorted.flatMap((hold, index) => {
    const next = sorted[index + 1];
    return next && next.from < hold.to ? [`${next.name} began before ${hold.name} had ended`] : [];
  });
}
