/** Whatever is not seen, or controls a terminal: control and format characters, line ends, spaces, invisible letters. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;
/** Characters of a text of a node that are kept. */
const MOST = 500;

/**
 * Returns what is kept of a text of a node, such as an error: at most 500 printable characters, on one line. Whoever runs the node must not be able
 * to write lines of their own into our log, to control a terminal, or to keep us busy.
 */
export function nodeText(text: string): string {
  return text.slice(0, MOST).replaceAll(INVISIBLE, ' ').trim();
}

/** An answer of a node that cannot be read, or that nobody has asked for: the connection is left, and tried again later. */
export class NonsenseError extends Error {
  override readonly name = 'NonsenseError';
}
