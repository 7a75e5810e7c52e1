/** Carries values to the store and back. */
export interface Codec {
  /** Returns a JSON value. */
  encode(value: unknown): unknown;
  decode(json: unknown): unknown;
}
