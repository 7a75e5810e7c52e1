import { QuorumNotReachedError, ResourceLockedError } from '../../../lib/core/api/errors.js';
import type { LockOptions } from '../../../lib/core/api/options.js';
import { LATE_FOR, type Machine } from '../world/machine.js';
import { Violation } from './violation.js';

/** Ms by which a timer may be early. */
const EARLY = 1;
/** Ms by which time may seem to have gone on at each change of a clock: a step as small as the uptime is coarse looks like a suspension. */
const EARLY_PER_CHANGE = 22;
/** Ms that the last round of a caller may take, and the agreement on its token. */
const LAST = 320;

/** Looks whether one caller waits for as long as it said, by the clock of its machine, whatever else goes on there. */
export class Stopwatch {
  #isOver = false;
  readonly #since: number;
  readonly #before: Machine['stoodStill'];

  constructor(
    private readonly machine: Machine,
    private readonly terms: Pick<LockOptions, 'waitTimeout' | 'retryCount'>,
  ) {
    this.#since = machine.time;
    this.#before = machine.stoodStill;
  }

  /** It has what it wanted, or is told that it cannot. @throws Violation */
  stop(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { waitTimeout = 0, retryCount } = this.terms;
    const waited = this.machine.time - this.#since;
    const left = waitTimeout - waited;
    if (hasGivenUp(error, left - this.#early) && retryCount === undefined && left > this.#early) {
      throw new Violation('waits last', `${this.machine.name} gave up after ${waited} ms of ${waitTimeout}`);
    }
    const late = waited - this.#stoodStill - waitTimeout;
    if (waitTimeout > 0 && late > LAST + this.#suspensions * LATE_FOR) {
      throw new Violation('waits end', `${this.machine.name} waited ${late} ms longer than for ${waitTimeout}`);
    }
  }

  get #early(): number {
    const settings = this.machine.stoodStill.settings - this.#before.settings;
    return EARLY + EARLY_PER_CHANGE * Math.max(1, this.#suspensions + settings);
  }

  get #suspensions(): number {
    return this.machine.stoodStill.suspensions - this.#before.suspensions;
  }

  get #stoodStill(): number {
    return this.machine.stoodStill.time - this.#before.time;
  }
}

/** Whether that is because its time is up; what cannot be had in the ms that are left, at least, is told at once. */
function hasGivenUp(error: unknown, least: number): boolean {
  if (error instanceof ResourceLockedError) return true;
  if (!(error instanceof QuorumNotReachedError)) return false;
  const isKnown = error.message.includes('locks are possible again');
  return !(isKnown && error.retryAfter >= least);
}
