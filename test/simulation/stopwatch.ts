import { QuorumNotReachedError, ResourceLockedError } from '../../lib/core/errors.js';
import type { LockOptions } from '../../lib/core/options.js';
import { LATE_FOR, type Machine } from './machine.js';
import { Violation } from './violation.js';

/**
 * Ms: a timer may be early by one, and by 22 time may seem to have gone on, once and for all, where a clock was set or stood still: 20, as
 * coarse as the uptime is, and 2 that are too little to be noticed at first.
 */
const EARLY = 23;
/** Ms that the last round of a caller may take, and the agreement on its token. */
const LAST = 320;

/** Looks whether one caller waits for as long as it said, by the clock of its machine, whatever else goes on there. */
export class Stopwatch {
  #isOver = false;
  readonly #since: number;
  readonly #before: Machine['stoodStill'];
  /** Whether its timers were late already: those that were set before the machine was suspended ring later by as long as they may sleep. */
  readonly #beganLate: boolean;

  constructor(
    private readonly machine: Machine,
    private readonly terms: Pick<LockOptions, 'waitTimeout' | 'retryCount'>,
  ) {
    this.#since = machine.time;
    this.#before = machine.stoodStill;
    this.#beganLate = machine.isLate;
  }

  /** It has what it wanted, or is told that it cannot. @throws Violation */
  stop(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { waitTimeout = 0, retryCount } = this.terms;
    const waited = this.machine.time - this.#since;
    const left = waitTimeout - waited;
    if (hasGivenUp(error, left) && retryCount === undefined && left > EARLY) {
      throw new Violation('waits last', `${this.machine.name} gave up after ${waited} ms of ${waitTimeout}`);
    }
    const late = waited - this.#stoodStill - waitTimeout;
    if (waitTimeout > 0 && late > LAST + this.#suspensions * LATE_FOR) {
      throw new Violation('waits end', `${this.machine.name} waited ${late} ms longer than for ${waitTimeout}`);
    }
  }

  get #suspensions(): number {
    return this.machine.stoodStill.suspensions - this.#before.suspensions + (this.#beganLate ? 1 : 0);
  }

  get #stoodStill(): number {
    return this.machine.stoodStill.time - this.#before.time;
  }
}

/** Whether that is because its time is up; what cannot be had in the ms that are left is told at once. */
function hasGivenUp(error: unknown, left: number): boolean {
  if (error instanceof ResourceLockedError) return true;
  return (
    error instanceof QuorumNotReachedError && !(error.retryAfter !== undefined && error.retryAfter >= left - EARLY)
  );
}
