import { exceptionOf } from './failure.js';
import { OtherCodecError, type Outcome } from './record.js';
import { type Codec, typedJson } from './typed-json.js';

/** How a value becomes an outcome, and how callers get the value: over HTTP, or in code. */
export interface ReplyWay {
  /** Called whenever the work begins. */
  begin?(): void;
  /** @throws the error of a call whose value cannot be kept */
  outcomeOf(value: unknown): Promise<Outcome>;
  /** Returns the outcome of a call that was answered before its end. */
  early(): Outcome;
  /** Returns what the caller gets whose work has run. */
  own(value: unknown, outcome: Outcome): unknown;
  /** Returns what a duplicate gets. @throws the kept error */
  replay(outcome: Outcome): unknown;
}

/** Gives values to code. Also the first caller gets the decoded value, so that replays and first replies are alike. */
export class ValueWay implements ReplyWay {
  constructor(
    private readonly codec: Codec | undefined,
    /** Whether nobody waits for a value, as with events of a microservice. */
    private readonly isEvent = false,
  ) {}

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

/** Returns the value of a reply outside HTTP, or a promise of it. @throws OtherCodecError */
export function decodedBy(codec: Codec | undefined, outcome: Outcome): unknown {
  const by = codec === undefined ? 'value' : 'codec';
  if (outcome.kind !== 'reply' || outcome.by !== by) throw new OtherCodecError();
  return (codec ?? typedJson).decode(outcome.body);
}
