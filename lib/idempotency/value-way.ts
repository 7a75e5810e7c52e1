import type { Codec } from './codec.js';
import { exceptionOf } from './http-exceptions.js';
import type { Outcome } from './outcome.js';
import type { ReplyWay } from './reply-ways.js';

/** Gives values to code: the first caller gets what the codec makes of its value, as all others do, so that no replay differs. */
export class ValueWay implements ReplyWay {
  constructor(
    private readonly codec: Codec,
    /** Whether nobody waits for a value, as with events of a microservice. */
    private readonly isEvent = false,
  ) {}

  begin(): void {
    // A value is all there is.
  }

  outcomeOf(value: unknown): Outcome {
    return { kind: 'reply', body: this.isEvent ? undefined : this.codec.encode(value) };
  }

  early(): Outcome {
    return { kind: 'tombstone', why: 'early' };
  }

  own(value: unknown, outcome: Outcome): unknown {
    return outcome.kind === 'reply' ? this.replay(outcome) : value;
  }

  replay(outcome: Outcome): unknown {
    if (outcome.kind === 'error') throw exceptionOf(outcome.status, outcome.response);
    return this.isEvent || outcome.kind === 'tombstone' ? undefined : this.codec.decode(outcome.body);
  }
}
