import type { OnceAnswer } from '../record.js';

/** A key whose callers were told different answers. */
export interface TwoAnswers {
  readonly key: string;
  readonly first: OnceAnswer;
  readonly second: OnceAnswer;
}

/**
 * An answer that was not kept, and said so, is left out: the work was done, and its caller has to know what it came to.
 * @param answers the first answer of each key in earlier chapters; it is kept up to date
 */
export function twoAnswersOf(onces: readonly OnceAnswer[], answers = new Map<string, OnceAnswer>()): TwoAnswers[] {
  const found = new Map<string, TwoAnswers>();
  for (const call of onces) {
    if (call.answer === undefined || call.isUnkept) continue;
    const first = answers.get(call.key);
    if (!first) answers.set(call.key, call);
    else if (first.answer !== call.answer && !found.has(call.key))
      found.set(call.key, { key: call.key, first, second: call });
  }
  return [...found.values()];
}
