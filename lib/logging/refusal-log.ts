import { Logger } from '@nestjs/common';
import type { LockHolder } from '../engine/process-mark.js';
import type { LockEvent } from '../engine/events.js';
import type { shown } from '../engine/names.js';
import type { Clock } from '../engine/clock.js';

/** Ms for which refused calls are gathered. */
const GATHERED_FOR = 1_000;
/** How many locks one line names. */
const MOST_NAMED = 5;

type RefusedCall = Extract<LockEvent, { type: 'refused' }>;

interface RefusalLogTerms {
  readonly clock: Clock;
  readonly names: typeof shown;
}

/** Calls that did not get the same lock, of the same holder. */
interface Group {
  readonly names: string;
  readonly holder: LockHolder | undefined;
  calls: number;
}

/** Logs for those who debug which calls were refused because of another holder, and who that is: one line a second at most. */
export class RefusalLog {
  readonly #groups: Group[] = [];
  /** The calls for other locks than those that are named. */
  #others = 0;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(
    private readonly logger: Pick<Logger, 'debug'>,
    private readonly terms: RefusalLogTerms,
  ) {}

  refused({ code, resources, cause }: RefusedCall): void {
    if (code !== 'RESOURCE_LOCKED' || this.#isStopped || !Logger.isLevelEnabled('debug')) return;
    this.#count(this.terms.names(resources), cause);
    this.#stopTimer ??= this.terms.clock.schedule(GATHERED_FOR, () => this.#logAll());
  }

  /** Logs what is still pending and ignores later calls, so that no timer is left. */
  stop(): void {
    this.#isStopped = true;
    this.#logAll();
  }

  #count(names: string, holder: LockHolder | undefined): void {
    const known = this.#groups.find((group) => group.names === names && group.holder?.holder === holder?.holder);
    if (known) known.calls += 1;
    else if (this.#groups.length < MOST_NAMED) this.#groups.push({ names, holder, calls: 1 });
    else this.#others += 1;
  }

  #logAll(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const parts = this.#groups.splice(0).map(textOf);
    if (parts.length === 0) return;
    if (this.#others > 0) parts.push(`${callsText(this.#others)} for other locks`);
    this.#others = 0;
    this.logger.debug(`Refused: ${parts.join('; ')}`);
  }
}

function textOf({ names, holder, calls }: Group): string {
  return `${callsText(calls)} for ${names}, held by ${holderText(holder)}`;
}

function callsText(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`;
}

/** Returns who holds a lock, as far as that is known. */
function holderText(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'an unknown process';
  return holder.holder;
}
