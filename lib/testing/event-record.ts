import type { LockEvent } from '../core/events.js';
import { turn } from './turn.js';

/** What has happened in a pool so far, and a way to wait for more of it. */
export class EventRecord {
  readonly #events: LockEvent[] = [];
  readonly #onEvent = new Set<() => void>();

  get events(): readonly LockEvent[] {
    return [...this.#events];
  }

  add(event: LockEvent): void {
    this.#events.push(event);
    for (const check of this.#onEvent) check();
  }

  clear(): void {
    this.#events.length = 0;
  }

  count(type: LockEvent['type'], resource?: string): number {
    return this.#events.filter((event) => event.type === type && concerns(event, resource)).length;
  }

  /** Resolves once it has happened so often, and whoever caused it has gone on. */
  async until(type: LockEvent['type'], resource: string | undefined, times: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.count(type, resource) < times) return;
        this.#onEvent.delete(check);
        resolve();
      };
      this.#onEvent.add(check);
      check();
    });
    await turn();
  }
}

function concerns(event: LockEvent, resource: string | undefined): boolean {
  return resource === undefined || ('resources' in event && event.resources.includes(resource));
}
