import type { LockEvent } from '../../../lib/engine/events.js';
import { EMIT } from '../../../lib/redlock.tokens.js';
import { StubService } from './stub-service.js';

/** A service without nodes that notes the events that locked methods tell it. */
export class TellingService extends StubService {
  readonly told: LockEvent[] = [];

  [EMIT](event: LockEvent): void {
    this.told.push(event);
  }
}
