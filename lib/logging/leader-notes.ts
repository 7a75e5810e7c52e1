import { coded } from '../engine/codes.js';
import type { LockEvent } from '../engine/events.js';
import type { Burst, Limit } from './burst.js';

const TERMS: Limit = { most: 4, window: 10_000 };
const FAILURES: Limit = { most: 1, window: 5_000 };

/** Writes to the log when this process begins and ceases to lead. The names of roles are constant texts of the application. */
export class LeaderNotes {
  constructor(private readonly burst: Burst) {}

  notify(event: LockEvent): void {
    if (event.type === 'elected') {
      this.burst.log(`terms of ${event.name}`, TERMS, [
        'log',
        `This process leads "${event.name}", term ${event.term}`,
      ]);
      if (event.overlap) this.#overlaps(event.name);
    } else if (event.type === 'deposed') {
      const text = `This process no longer leads "${event.name}", after ${Math.round(event.led / 1_000)} s: ${event.reason}`;
      this.burst.log(`terms of ${event.name}`, TERMS, ['log', text]);
    } else if (event.type === 'term-failed') this.#failed(event.name, event.error);
  }

  #overlaps(name: string): void {
    const text = `The work of an earlier term of "${name}" is still running after its stopTimeout, beside the new term`;
    this.burst.log(`overlaps of ${name}`, FAILURES, ['warn', coded('REDLOCK_W29', text)]);
  }

  #failed(name: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const text = `The work of the leader of "${name}" threw: ${why}. The process campaigns again after a pause`;
    this.burst.log(`failures of ${name}`, FAILURES, ['error', coded('REDLOCK_W28', text)]);
  }
}
