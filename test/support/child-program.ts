import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

interface Answer {
  readonly id: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** Ms on the clock that all processes of the machine share. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A process that does what lines of JSON on its input say, and answers each line on its output. */
export class ChildProgram {
  readonly exit: Promise<unknown>;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #count = 0;

  constructor(
    private readonly child: ChildProcess,
    /** Gets the lines that are no answers. */
    noted: (line: object) => void = () => undefined,
  ) {
    createInterface(child.stdout!).on('line', (line) => {
      const said = JSON.parse(line) as Answer | object;
      if ('id' in said) this.#hear(said);
      else noted(said);
    });
    // Told of a process that is gone by now.
    child.stdin!.on('error', () => undefined);
    this.exit = once(child, 'close').then(() => {
      for (const id of this.#waiting.keys()) this.#hear({ id, error: 'DIED' });
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  ask<T>(what: string, order: object = {}): Promise<T> {
    const id = String((this.#count += 1));
    const answer = this.answer<T>(id);
    this.child.stdin!.write(`${JSON.stringify({ id, what, ...order })}\n`);
    return answer;
  }

  /** What the process answers under this name. */
  answer<T>(id: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result as T) : reject(new Error(error)),
      );
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Ends the process by this signal; returns when the signal was sent. */
  async end(name: NodeJS.Signals): Promise<number> {
    this.signal(name);
    const at = machineTime();
    await this.exit;
    return at;
  }

  #hear(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}
