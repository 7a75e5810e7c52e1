/** What an attempt ended with, as it is kept under its key, and the span of its call if that was traced. */
export type Outcome = { readonly traceparent?: string | undefined } & (
  | {
      readonly kind: 'reply';
      /** What has encoded the body: a reply is never decoded by another one. */
      readonly by: 'http' | 'value' | 'codec';
      /** The HTTP status; undefined outside HTTP. */
      readonly status?: number | undefined;
      readonly headers?: readonly (readonly [string, string])[] | undefined;
      /** The value as its codec has encoded it: any JSON value; undefined for no value. */
      readonly body: unknown;
    }
  /** An `HttpException`. */
  | { readonly kind: 'error'; readonly status: number; readonly response: unknown }
  /** The attempt has ended, and its reply cannot be given again. */
  | {
      readonly kind: 'tombstone';
      readonly why: TombstoneReason;
      readonly headers?: readonly (readonly [string, string])[] | undefined;
    }
);

/** `size`: larger than `maxBytes`; `stream`: a stream or a file; `early`: the client was answered before the value was known; `full`: the store is full; `value`: no codec can carry it. */
export type TombstoneReason = 'size' | 'stream' | 'early' | 'full' | 'value';

/** What a piece of work says about its end. */
export type Ended =
  | { readonly keep: Outcome }
  /** It failed, and nothing is kept: the next duplicate runs. */
  | { readonly keep: 'nothing'; readonly error: unknown }
  /** It failed, and what it did is not known: the next duplicate is refused. */
  | { readonly keep: 'mark'; readonly error: unknown };

/** A reply was kept by another codec than the one that is to read it: by an older release, or for another kind of caller. */
export class OtherCodecError extends TypeError {
  constructor() {
    super('the reply was kept by another codec');
  }
}
