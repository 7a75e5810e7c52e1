/** A word of a command as the protocol has it: its length in bytes, then itself. */
export function bulk(word: string): string {
  return `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
}

/** A whole command. */
export function commandOf(...words: readonly string[]): string {
  return `*${words.length}\r\n${words.map(bulk).join('')}`;
}
