/** Converts values for the store and back. */
export interface Codec {
  /** Returns a JSON value, or a promise of one. */
  encode(value: unknown): unknown;
  /** Returns the value, or a promise of it. */
  decode(json: unknown): unknown;
}
