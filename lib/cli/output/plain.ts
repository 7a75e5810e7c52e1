/** Control characters, line separators, and marks that turn the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns text so that it can only be read: the name of a key may come from anybody, and must not control the terminal of the operator. */
export function plain(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
