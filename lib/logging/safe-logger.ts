import { Logger } from '@nestjs/common';
import { guarded } from '../engine/guarded.js';

/** The logger of the application, which may be any object: what it throws reaches nobody who wants a lock. */
export class SafeLogger extends Logger {
  readonly #write = guarded('The logger of the application', (write: () => void) => write());

  override log(message: unknown, ...rest: unknown[]): void {
    this.#write(() => super.log(message, ...rest));
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    this.#write(() => super.warn(message, ...rest));
  }

  override error(message: unknown, ...rest: unknown[]): void {
    this.#write(() => super.error(message, ...rest));
  }

  override debug(message: unknown, ...rest: unknown[]): void {
    this.#write(() => super.debug(message, ...rest));
  }
}
