/** A number of 32 bits that is the same for equal texts, on every machine: FNV-1a, folded. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    // Not of the text, where V8 looks the method up for every character once it has met several kinds of strings.
    hash = Math.imul(hash ^ String.prototype.charCodeAt.call(text, index), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
