import { Logger } from '@nestjs/common';
import type { Coded, Mistake } from '../engine/codes.js';
import { guarded } from '../engine/guarded.js';

/**
 * The logger of the application, which may be any object: what it throws reaches nobody who wants a lock. Warnings and errors have a code, by
 * which docs/operate/troubleshooting.md says what to do.
 */
export class SafeLogger extends Logger {
  readonly #write = guarded('The logger of the application', (write: () => void) => write());

  override log(message: unknown, ...rest: unknown[]): void {
    this.#write(() => super.log(message, ...rest));
  }

  override warn(message: Coded, ...rest: unknown[]): void {
    this.#write(() => super.warn(message, ...rest));
  }

  override error(message: Coded | Mistake, ...rest: unknown[]): void {
    this.#write(() => super.error(message, ...rest));
  }

  override debug(message: unknown, ...rest: unknown[]): void {
    this.#write(() => super.debug(message, ...rest));
  }
}

/** Takes the lines about a pool. */
export interface Lines {
  debug(text: string): void;
  log(text: string): void;
  warn(text: Coded): void;
  error(text: Coded): void;
}
