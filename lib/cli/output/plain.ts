/** Whatever is not seen, or controls a terminal: control and format characters, line ends, spaces other than " ", invisible letters. */
const INVISIBLE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns text with \u{9b} for each invisible character: anybody may name a key, and names must not control the terminal. */
export function plain(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Returns JSON in which \u009b stands for each invisible character. */
export function jsonOf(value: object): string {
  return JSON.stringify(value).replaceAll(INVISIBLE, (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
