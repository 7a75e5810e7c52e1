import type { LockEvent } from '../../engine/events.js';

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
  return resource === undefined || ('resources' in event && event.resources.includes(resource));
}
