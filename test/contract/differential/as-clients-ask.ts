import type { AskStep, ClaimPlan, Operation, Sequence, Step } from './sequence.js';
import type { ResourceState } from './side.js';
import { isRelease } from './taken-back.js';

/**
 * A step without what no client asks. Parts of one lock have the same value, and are taken one after the other, so that
 * at most one of them waits. And a waiter that has left a line comes back under another value: under the same one, a
 * grant of before could be taken for a later one.
 */
export function asClientsAsk(step: Step, sequence: Sequence, lines: readonly ResourceState[]): Step {
  return step.kind === 'ask' ? new Sieve(sequence, lines).filter(step) : step;
}

class Sieve {
  /** Which claim stands in line under a value. */
  readonly #waiting: Map<string, number>;
  readonly #left = new Set<number>();
  #count = 0;

  constructor(
    private readonly sequence: Sequence,
    lines: readonly ResourceState[],
  ) {
    this.#waiting = waitingIn(sequence.plans, lines);
  }

  filter(step: AskStep): AskStep {
    return { ...step, batches: step.batches.map((batch) => batch.flatMap((operation) => this.#asked(operation))) };
  }

  #asked(operation: Operation): Operation[] {
    const { verb, claim } = operation;
    this.#count += 1;
    const { value, place } = this.sequence.plans[claim]!;
    if (isRelease(verb)) return [this.#waiting.get(value) === claim ? this.#leaving(operation) : operation];
    if (!place || (verb !== 'acquire' && verb !== 'yield')) return [operation];
    const other = this.#waiting.get(value) ?? claim;
    this.#waiting.set(value, other);
    return other === claim && !this.#left.has(claim) ? [operation] : [];
  }

  /**
   * What is granted and taken back in one step is told too late, and given back: that serves the line, whichever claim
   * would follow.
   */
  #leaving(operation: Operation): Operation {
    this.#left.add(operation.claim);
    if (this.#count === 1) return operation;
    return { ...operation, verb: 'release' };
  }
}

function waitingIn(plans: readonly ClaimPlan[], lines: readonly ResourceState[]): Map<string, number> {
  const waiting = new Map<string, number>();
  for (const [index, { value, place, resources }] of plans.entries()) {
    const isInLine = lines.some(({ resource, line }) => resource === resources[0] && line.includes(value));
    if (place && isInLine) waiting.set(value, index);
  }
  return waiting;
}
