import { turn } from './turn.js';

/** Wakes tests that wait until a condition is true. */
export class Changes {
  readonly #checks = new Set<() => void>();

  /** Checks all conditions again, since one of them may be true by now. */
  readonly notify = (): void => {
    for (const check of this.#checks) check();
  };

  /** Resolves once the condition is true and the code that made it true has continued. */
  async until(isSo: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!isSo()) return;
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
    await turn();
  }
}
