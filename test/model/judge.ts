import type { Choices } from './choices.js';
import type { Process, World } from './world.js';

/** Ms by which a caller may go before an older one of another process. */
const AHEAD = 50;
/** In how many ways of usual length all nodes know all places: some ways take ten times as long, and several may do so in turn. */
const SLOW_TRIPS = 40;

/** A holder as the judge sees it. */
export interface Holder {
  readonly process: Process | undefined;
  isValid(): boolean;
  /** Whether its signal has said that the lock is over; undefined if it does not listen. */
  readonly isTold?: (() => boolean) | undefined;
}

/** A caller that waits for a resource. */
export interface Ask {
  readonly resource: string;
  readonly process: Process;
  readonly at: number;
}

/** Looks at every grant: exclusion by the holders' own clocks, tokens, validity at delivery, and whether a loss was told before. */
export class Judge {
  readonly violations: string[] = [];
  grants = 0;
  readonly #holders = new Map<string, Holder>();
  readonly #tokens = new Map<string, number>();
  readonly #waiting = new Set<Ask>();

  constructor(
    private readonly world: World,
    /** Ms by which a caller may get a lock before an older one. */
    private readonly ahead: number,
  ) {}

  asks(resource: string, process: Process): Ask {
    const ask = { resource, process, at: this.world.time };
    this.#waiting.add(ask);
    return ask;
  }

  /** `isServed` tells whether the caller has got the lock. */
  over(ask: Ask, isServed: boolean): void {
    this.#waiting.delete(ask);
    if (!isServed) return;
    for (const { resource, process, at } of this.#waiting)
      if (resource === ask.resource && !process.isDead && at + this.ahead < ask.at)
        this.violations.push(`OVERTAKEN: p${process.id} by ${ask.at - at} ms, by p${ask.process.id} for ${resource}`);
  }

  granted(resource: string, holder: Holder, token: number | undefined): void {
    const at = this.world.time.toFixed(1);
    this.grants += 1;
    if (!holder.isValid()) this.violations.push(`invalid when given: ${resource} at ${at}`);
    const other = this.#holders.get(resource);
    const who = `p${holder.process?.id} and p${other?.process?.id}`;
    if (other?.process?.isDead !== true && other?.isValid() === true)
      this.violations.push(`TWO HOLDERS of ${resource} at ${at}: ${who}`);
    // A process that stands still is told as soon as it goes on.
    const stood = other?.process !== undefined && other.process.pausedUntil >= this.world.time - 1;
    if (other?.process?.isDead === false && !stood && other.isTold?.() === false)
      this.violations.push(`NOT TOLD of its loss of ${resource} at ${at}: ${who}`);
    this.#holders.set(resource, holder);
    if (token === undefined) return;
    const latest = this.#tokens.get(resource) ?? 0;
    if (token <= latest) this.violations.push(`TOKEN ${token} after ${latest} of ${resource} at ${at}`);
    this.#tokens.set(resource, token);
  }
}

/** Returns the ms by which a caller may get a lock before an older one; Infinity in worlds in which nothing is promised. */
export function aheadOf({ faultRate, forget, foreign, loss, blocks, delay, waits, length }: Choices): number {
  const isOrderly = faultRate + forget + foreign + loss + blocks === 0 && waits > length;
  return isOrderly ? AHEAD + SLOW_TRIPS * delay : Infinity;
}
