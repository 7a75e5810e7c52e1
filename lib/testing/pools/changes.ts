import { turn } from './turn.js';

/** Wakes those who wait until something is so. */
export class Changes {
  readonly #checks = new Set<() => void>();

  /** Something may be so by now. */
  readonly tell = (): void => {
    for (const check of this.#checks) check();
  };

  /** Resolves once it is so, and the code that caused it has gone on. */
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
