import type { Codec } from './codec.js';
import { exceptionOf } from './http-exceptions.js';
import { OtherCodecError, type Outcome } from './outcome.js';
import type { ReplyWay } from './reply-ways.js';
import { typedJson } from './typed-json.js';

/** Gives values to code: the first caller gets what the codec makes of its value, as all others do, so that no replay differs. */
export class ValueWay implements ReplyWay {
  constructor(
    /** Undefined for the usual one. */
    private readonly codec: Codec | undefined,
    /** Whether nobody waits for a value, as with events of a microservice. */
    private readonly isEvent = false,
  ) {}

  begin(): void {
    // A value is all there is.
  }

  async outcomeOf(value: unknown): Promise<Outcome> {
    return this.isEvent ? { kind: 'reply', by: 'value', body: undefined } : encodedBy(this.codec, value);
  }

  early(): Outcome {
    return { kind: 'tombstone', why: 'early' };
  }

  own(value: unknown, outcome: Outcome): unknown {
    return outcome.kind === 'reply' ? this.replay(outcome) : value;
  }

  replay(outcome: Outcome): unknown {
    if (outcome.kind === 'error') throw exceptionOf(outcome.status, outcome.response);
    return this.isEvent || outcome.kind === 'tombstone' ? undefined : decodedBy(this.codec, outcome);
  }
}

/** Returns the outcome of a value outside HTTP. @throws what the codec throws */
export async function encodedBy(codec: Codec | undefined, value: unknown): Promise<Outcome> {
  const by = codec === undefined ? 'value' : 'codec';
  return { kind: 'reply', by, body: await (codec ?? typedJson).encode(value) };
}

/** Returns the value of a reply outside HTTP, or a promise of it. @throws TypeError for one that something else has encoded */
export function decodedBy(codec: Codec | undefined, { by, body }: Extract<Outcome, { kind: 'reply' }>): unknown {
  if (by !== (codec === undefined ? 'value' : 'codec')) throw new OtherCodecError();
  return (codec ?? typedJson).decode(body);
}
