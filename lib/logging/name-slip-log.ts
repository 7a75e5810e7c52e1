import type { Logger } from '@nestjs/common';
import { ROOTS } from '../with-lock/key/handler-kind.js';

/** What would be a part of a key in `@WithLock`: `<body.email>`, `<0>`, `<0.email|trim>`. */
const PART = new RegExp(`<(?:(?:${ROOTS.join('|')})\\.[\\w.-]{1,64}|\\d{1,2}(?:\\.[\\w.-]{1,64})?)(?:\\|[a-z]{1,9})*>`);
/** What JavaScript makes, within a text, of what is missing or has no text. */
const NOTHING = /(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|\[object \w{1,64}\]/u;
const SUSPECT = /<|undefined|\[object /;
/** What names are made of may be data, and shall not flood the log. */
const MOST_LINES = 20;

const MEANT_AS_PART =
  'Names are taken as they are: where that is meant as a part of a key, all calls share one lock. Only @WithLock fills it in; ' +
  "elsewhere write redlock.key('user:<0>', email).";
const MADE_OF_NOTHING =
  'That is what a text has in it where something is missing, or is an object: all such calls share one lock. ' +
  "redlock.key('user:<0>', email) refuses that.";

/** Warns of names that are taken as they are and look like templates: of each part once. They may be data, so they are locked. */
export class NameSlipLog {
  readonly #told = new Set<string>();

  constructor(private readonly logger: Logger) {}

  look(resource: string | readonly string[]): void {
    const names: unknown = typeof resource === 'string' ? [resource] : resource;
    // With every lock, so next to nothing in the usual case; what is no name at all is for others to refuse.
    if (Array.isArray(names))
      for (const name of names) if (typeof name === 'string' && SUSPECT.test(name)) this.#tell(name);
  }

  #tell(name: string): void {
    const [part] = PART.exec(name) ?? [];
    const [nothing] = NOTHING.exec(name) ?? [];
    if (part !== undefined) this.#warn(part, MEANT_AS_PART);
    else if (nothing !== undefined) this.#warn(nothing, MADE_OF_NOTHING);
  }

  #warn(found: string, why: string): void {
    if (this.#told.has(found) || this.#told.size >= MOST_LINES) return;
    this.#told.add(found);
    this.logger.warn(`A lock was asked for whose name has ${found} in it. ${why} Where it is data all is well.`);
  }
}
