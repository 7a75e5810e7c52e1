import type { LockEvent } from '../../engine/events.js';
import { LEADER } from '../../engine/resources.js';
import { turn } from '../manual-clock.js';

/** The events of a pool since the start or the latest `clear()`. */
export class EventRecord {
  readonly #events: LockEvent[] = [];

  get events(): readonly LockEvent[] {
    return [...this.#events];
  }

  add(event: LockEvent): void {
    this.#events.push(event);
  }

  clear(): void {
    this.#events.length = 0;
  }

  count(type: LockEvent['type'], resource?: string): number {
    return this.#events.filter((event) => event.type === type && concerns(event, resource)).length;
  }
}

function concerns(event: LockEvent, resource: string | undefined): boolean {
  if (resource === undefined) return true;
  if ('name' in event) return resource === event.name || resource === LEADER + event.name;
  return 'resources' in event && event.resources.includes(resource);
}

/** Wakes tests that wait until a condition is true. */
export class Changes {
  readonly #checks = new Set<() => void>();

  /** Checks all conditions again, since one of them may be true by now. */
  readonly notify = (): void => {
    for (const check of this.#checks) check();
  };

  /** Resolves once the condition is true and the code that made it true has continued. */
  async until(isSo: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!isSo()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
    await turn();
  }
}
