import type { Lock } from 'nestjs-redlock';

/** What a handler saw of its lock when it began. */
export interface Beginning {
  readonly email: string;
  readonly isValid: boolean;
  readonly aborted: boolean;
}

/** The beginnings of handlers, in order. */
export class Beginnings {
  #all: Beginning[] = [];

  get all(): readonly Beginning[] {
    return this.#all;
  }

  /** Those under a lock that was over already. */
  get tooLate(): readonly Beginning[] {
    return this.#all.filter(({ isValid, aborted }) => !isValid || aborted);
  }

  note(email: string, lock: Lock): void {
    this.#all.push({ email, isValid: lock.isValid, aborted: lock.signal.aborted });
  }

  clear(): void {
    this.#all = [];
  }
}
