const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What the engine uses of the global class of Node. */
export const Buffer = {
  from: bytesOf,
  byteLength: (text: string): number => bytesOf(text).length,
  compare(one: Uint8Array, other: Uint8Array): number {
    const at = one.findIndex((byte, index) => byte !== other[index]);
    return at < 0 ? Math.sign(one.length - other.length) : Math.sign(one[at]! - (other[at] ?? -1));
  },
};
