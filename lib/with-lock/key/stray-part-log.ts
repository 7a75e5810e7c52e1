import type { Logger } from '@nestjs/common';
import { ROOTS } from './key-roots.js';

/** Matches what would be a part of a key in `@WithLock`: `<body.email>`, `<0>`, `<0.email|trim>`. */
const PART = new RegExp(`<(?:(?:${ROOTS.join('|')})\\.[\\w.-]{1,64}|\\d{1,2}(?:\\.[\\w.-]{1,64})?)(?:\\|[a-z]{1,9})*>`);
/** Matches what JavaScript makes within a string of a missing value or an object: `undefined`, `[object Object]`. */
const NOTHING = /(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|\[object \w{1,64}\]/u;
const SUSPECT = /<|undefined|\[object /;
/** How many lines are logged at most: what is found in a name may be data, which differs from call to call and must not flood the log. */
const MOST_LINES = 20;

const MEANT_AS_PART =
  'Names are taken as they are: where that is meant as a part of a key, all calls share one lock. Only @WithLock fills it in; ' +
  "elsewhere write redlock.key('user:<0>', email).";
const MADE_OF_NOTHING =
  'A missing value or an object became a part of the text: all such calls share one lock. ' +
  "redlock.key('user:<0>', email) refuses that.";

/**
 * Warns of names that look like templates although they are used as they are, once for each part that is found. The lock is taken all the
 * same, since such a name may be intended.
 */
export class StrayPartLog {
  readonly #reported = new Set<string>();

  constructor(private readonly logger: Logger) {}

  look(resource: string | readonly string[]): void {
    const names: unknown = typeof resource === 'string' ? [resource] : resource;
    // This runs with every lock, so the usual case has to cost next to nothing. Values that are no names are refused elsewhere.
    if (Array.isArray(names))
      for (const name of names) if (typeof name === 'string' && SUSPECT.test(name)) this.#notify(name);
  }

  #notify(name: string): void {
    const [part] = PART.exec(name) ?? [];
    const [nothing] = NOTHING.exec(name) ?? [];
    if (part !== undefined) this.#warn(part, MEANT_AS_PART);
    else if (nothing !== undefined) this.#warn(nothing, MADE_OF_NOTHING);
  }

  #warn(found: string, why: string): void {
    if (this.#reported.has(found) || this.#reported.size >= MOST_LINES) return;
    this.#reported.add(found);
    this.logger.warn(
      `A lock was asked for whose name has ${found} in it. ${why} If that text is data, ignore this line.`,
    );
  }
}
