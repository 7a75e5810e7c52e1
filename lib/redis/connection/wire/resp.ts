/** Encodes one word of a command for the protocol: its length in bytes, then the word. */
export function bulk(word: string): string {
  return `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
}

/** Encodes a whole command for the protocol. */
export function commandOf(...words: readonly string[]): string {
  return `*${words.length}\r\n${words.map(bulk).join('')}`;
}
