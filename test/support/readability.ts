/** What makes the prose of a page hard to read; code blocks, tables and headings are left out. */
export interface Readability {
  readonly words: number;
  /** Negations in 100 words. */
  readonly neg: number;
  /** Percent of the sentences with three or more subordinators. */
  readonly sub3: number;
  /** Percent of the sentences that begin with a word that points back, such as It or This. */
  readonly back: number;
  /** Words of the longest sentence. */
  readonly longest: number;
  /** Words of the longest bullet. */
  readonly bullet: number;
}

/** The most that a page for users may have of each. */
export const GOALS = { neg: 1.5, sub3: 8, back: 15, longest: 40, bullet: 40 } as const;

const SUBORDINATORS =
  /\b(where|which|that|since|so that|if|when|while|until|before|after|whose|who|what|as|because|unless|although|than|whether)\b/gi;
const NEGATIONS = /\b(no|not|nor|never|neither|without|none|nobody|nothing|cannot)\b|n't\b/gi;
const BACK = /^(It|So|That|This|These|Those|They|Then|Such|Both|Each|Of|What|Where)\b/;
const BULLET = /^([-*+]|\d+\.)\s+/;

/** Words for which the field has better ones: DESIGN.md calls this dialect. */
export const DIALECT: Readonly<Record<string, RegExp>> = {
  'paused, or blocks the event loop': /\bst(ands?|ood|anding) still\b/i,
  'times out': /\bin vain\b/i,
  'gets, or an error': /\b(is|are|was|were) told\b/i,
  released: /\bg(ives?|iven|ave|iving) (it |them |the lock )?back\b/i,
  workaround: /\bway out\b/i,
  'clock step': /\bclocks? (\w+ )?(that )?(is|are|was|were) set\b|\bset clock\b/i,
  expired: /\b(lease|lock|ttl|life) (is|was) over\b/i,
  startup: /\bat (its|the|their) start\b|\bthe start of the (application|process)\b/i,
  permission: /\bACL rights\b|\brights (of|that|for)\b|\bthe rights\b|\bits rights\b/i,
  'hand-off': /\bhand-?over\b/i,
  if: /\bwhere (there is|that is|it is|they are)\b/i,
};

/** Returns the words that the page should not have, with what to write instead. */
export function dialectIn(text: string): string[] {
  const prose = [...sentencesOf(text), ...tablesOf(text)].join('\n');
  return Object.entries(DIALECT).flatMap(([better, word]) => {
    const found = word.exec(prose)?.[0];
    return found === undefined ? [] : [`"${found}": ${better}`];
  });
}

/** Returns the goals that the page misses, with its figures. */
export function missedGoals(text: string): string[] {
  const figures = readabilityOf(text);
  if (figures === undefined) return [];
  return Object.entries(GOALS).flatMap(([name, most]) => {
    const figure = figures[name as keyof typeof GOALS];
    return figure > most ? [`${name} ${figure.toFixed(1)} > ${most}`] : [];
  });
}

/** Undefined for a page without prose. */
export function readabilityOf(text: string): Readability | undefined {
  const sentences = sentencesOf(text);
  if (sentences.length === 0) return undefined;
  const words = sum(sentences.map(wordsIn));
  const share = (fits: (sentence: string) => boolean): number =>
    (100 * sentences.filter(fits).length) / sentences.length;
  return {
    words,
    neg: (100 * sum(sentences.map((sentence) => matches(sentence, NEGATIONS)))) / words,
    sub3: share((sentence) => matches(sentence, SUBORDINATORS) >= 3),
    back: share((sentence) => BACK.test(sentence)),
    longest: Math.max(...sentences.map(wordsIn)),
    bullet: Math.max(
      0,
      ...paragraphsOf(text).flatMap(({ text: bullet, isBullet }) => (isBullet ? [wordsIn(bullet)] : [])),
    ),
  };
}

/** Returns the words of the prose and of the tables. */
export function wordsOf(text: string): number {
  return sum([...sentencesOf(text), ...tablesOf(text)].map(wordsIn));
}

function sentencesOf(text: string): string[] {
  const sentences = paragraphsOf(text).flatMap((paragraph) => paragraph.text.split(/(?<=[.!?])\s+(?=[A-Z"(])/));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => wordsIn(sentence) > 2);
}

/** Returns the cells of the tables. */
function tablesOf(text: string): string[] {
  const rows = withoutCode(text).filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line));
  return rows.flatMap((row) => row.split(/(?<!\\)\|/).map(plain)).filter((cell) => cell !== '');
}

interface Paragraph {
  readonly text: string;
  readonly isBullet: boolean;
}

function paragraphsOf(text: string): Paragraph[] {
  const found: { lines: string[]; isBullet: boolean }[] = [{ lines: [], isBullet: false }];
  for (const line of withoutCode(text)) {
    const isBullet = BULLET.test(line);
    const isProse = line !== '' && !/^[#|<>]/.test(line);
    if (isBullet || !isProse) found.push({ lines: [], isBullet });
    if (isProse) found.at(-1)!.lines.push(line.replace(BULLET, ''));
  }
  return found
    .filter(({ lines }) => lines.length > 0)
    .map(({ lines, isBullet }) => ({ text: plain(lines.join(' ')), isBullet }));
}

function withoutCode(text: string): string[] {
  const prose = text.replace(/^---\n[^]*?\n---\n/, '').replaceAll(/^\s*```[^]*?^\s*```/gm, '');
  return prose.split('\n').map((line) => line.trim());
}

/** Returns the text of links and emphasis; code counts as one word. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/[*_]{1,3}/g, '')
    .trim();
}

function matches(text: string, word: RegExp): number {
  return text.match(word)?.length ?? 0;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
