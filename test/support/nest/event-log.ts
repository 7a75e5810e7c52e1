import type { Observable } from 'rxjs';
import type { LockEvent } from '../../../lib/engine/events.js';
import { Deferred } from './deferred.js';

/** What a pool has told so far, and a way to wait for more of it. */
export class EventLog {
  readonly events: LockEvent[] = [];
  #changed = new Deferred();

  constructor(events$: Observable<LockEvent>) {
    events$.subscribe((event) => {
      this.events.push(event);
      this.#changed.resolve();
      this.#changed = new Deferred();
    });
  }

  /** The resources of the locks that were taken, in order. */
  get acquired(): string[] {
    return this.events.flatMap((event) => (event.type === 'acquired' ? event.resources : []));
  }

  /** How often this has happened, to a resource or to any. */
  count(type: LockEvent['type'], resource?: string): number {
    return this.events.filter((event) => event.type === type && (resource === undefined || concerns(event, resource)))
      .length;
  }

  /** Resolves once it has happened `times` times since the log was made or cleared. */
  async until(type: LockEvent['type'], resource?: string, times = 1): Promise<void> {
    while (this.count(type, resource) < times) await this.#changed.promise;
  }

  clear(): void {
    this.events.length = 0;
  }
}

function concerns(event: LockEvent, resource: string): boolean {
  return 'resources' in event && event.resources.includes(resource);
}
