/** A space at which no line ends. Names never have one, since `plain` escapes it. */
const SOLID = '\u00A0';
const GAP = '  ';
/** No paragraph is narrower. */
const NARROW = 10;

/** Characters that terminals show in two columns, and those that they add to the character before. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const COMBINING = /\p{M}/u;

/** Returns text in which no line ends between a number and its unit. */
export function solid(text: string): string {
  return text.replaceAll(/(?<=\d) /g, SOLID);
}

/** Returns text in lines of at most `columns` characters; `label` stands before the first, and spaces before the others. */
export function paragraph(text: string, columns: number, label = ''): string {
  const lines = wrap(text, Math.max(NARROW, columns - label.length));
  return loose(label + lines.join(`\n${' '.repeat(label.length)}`));
}

/** Returns rows in columns. If the terminal is too narrow for them, each row is a paragraph, below its first cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const all = [head, ...rows];
  const widths = head.map((_, at) => all.reduce((most, row) => Math.max(most, widthOf(row[at]!)), 0));
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, at) => pad(cell, widths[at]!))
      .join(GAP)
      .trimEnd();
  if (total <= columns) return loose(all.map(lineOf).join('\n'));
  const texts = rows.map(([first, ...cells]) => {
    const named = cells.map((cell, at) =>
      cell === '' ? [] : `${head[at + 1]!.replaceAll(' ', SOLID)}:${SOLID}${cell}`,
    );
    const text = named.flat().join('; ');
    return `${paragraph(first!, columns)}\n${paragraph(text, columns, GAP)}`;
  });
  return texts.join('\n');
}

function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const piece of text.split(' ').flatMap((word) => pieces(word, width))) {
    if (line !== undefined && widthOf(line) + 1 + widthOf(piece) <= width) line += ` ${piece}`;
    else {
      if (line !== undefined) lines.push(line);
      line = piece;
    }
  }
  return [...lines, line ?? ''];
}

/** Returns a word in pieces that fit; each ends behind punctuation if there is some. */
function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const found: string[] = [];
  let [piece, size] = ['', 0];
  for (const character of word) {
    const own = widthOf(character);
    if (size + own > width) {
      const end = /^.*[^\p{L}\p{N}]/u.exec(piece)?.[0].length ?? piece.length;
      found.push(piece.slice(0, end));
      piece = piece.slice(end);
      size = widthOf(piece);
    }
    piece += character;
    size += own;
  }
  return [...found, piece];
}

function widthOf(text: string): number {
  if (/^[ -~\u00A0]*$/.test(text)) return text.length;
  return Array.from(text).reduce((sum, one) => sum + (WIDE.test(one) ? 2 : COMBINING.test(one) ? 0 : 1), 0);
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function loose(text: string): string {
  return text.replaceAll(SOLID, ' ');
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns ms as an operator reads them: 850 ms, 4.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return two(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? two(ms, [HOUR, 'h'], [MINUTE, 'min']) : two(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function two(ms: number, [greater, name]: Unit, [smaller, smallName]: Unit): string {
  const rest = Math.floor((ms % greater) / smaller);
  return `${Math.floor(ms / greater)} ${name}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

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
