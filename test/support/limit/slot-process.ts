import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { CompiledLib } from '../compiled-lib.js';
import { SLOT_SCRIPT } from './slot-script.js';
import type { Stay } from './stays.js';

/** What a caller wants. */
export interface Wish {
  readonly resource: string;
  readonly options: Omit<LockOptions, 'signal'>;
}

/** A lock that another process holds. */
export interface Taken {
  readonly slot: number;
  readonly token: number;
  readonly asked: number;
  readonly from: number;
  /** When its lease ends if it is not extended. */
  readonly until: number;
}

interface Said {
  readonly id: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** Ms on the clock that all processes of the machine share. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A process of its own with a client of the pool, that can be killed. */
export class SlotProcess {
  readonly #waiting = new Map<string, (said: Said) => void>();
  readonly #exit: Promise<unknown>;
  #count = 0;

  private constructor(private readonly child: ChildProcess) {
    createInterface(child.stdout!).on('line', (line) => this.#hear(JSON.parse(line) as Said));
    // Told of a process that is gone by now.
    child.stdin!.on('error', () => undefined);
    this.#exit = once(child, 'close').then(() => {
      for (const id of this.#waiting.keys()) this.#hear({ id, error: 'DIED' });
    });
  }

  /** Resolves when it is connected to the nodes. */
  static async start(lib: CompiledLib, nodes: readonly string[], nodeTimeout: number): Promise<SlotProcess> {
    const started = new SlotProcess(await lib.run(SLOT_SCRIPT, [JSON.stringify({ nodes, nodeTimeout })]));
    await started.#answer('open');
    return started;
  }

  /** Takes a lock, and keeps it under this name. */
  take(name: string, wish: Wish): Promise<Taken> {
    return this.#ask('take', { name, ...wish });
  }

  async isValid(name: string): Promise<boolean> {
    return (await this.#ask<{ isValid: boolean }>('check', { name })).isValid;
  }

  release(name: string): Promise<Stay> {
    return this.#ask('release', { name });
  }

  /** Asks once, and gives back what it gets: null if all slots are held. */
  async tries(wish: Wish): Promise<number | 'all' | null> {
    return (await this.#ask<{ slot: number | 'all' | null }>('tries', wish)).slot;
  }

  /** Holds a lock for so many ms. */
  stay(wish: Wish & { readonly hold: number }): Promise<Stay> {
    return this.#ask('stay', wish);
  }

  /** The same at each of these times. */
  arrive(wish: Wish & { readonly hold: number; readonly times: readonly number[] }): Promise<Stay[]> {
    return this.#ask('arrive', wish);
  }

  /** Holds locks by turns until that time, or until `stop`. */
  work(
    wish: Wish & { readonly hold: number; readonly workers: number; readonly until?: number; readonly pause?: number },
  ): Promise<Stay[]> {
    return this.#ask('work', wish);
  }

  stop(): Promise<void> {
    return this.#ask('stop', {});
  }

  /** Takes and releases all slots of so many groups, but of every so many-th group leaves them to expire. */
  fill(order: {
    readonly groups: number;
    readonly slots: number;
    readonly atOnce: number;
    readonly abandons: number;
    readonly options: Wish['options'];
  }): Promise<{ readonly groups: number }> {
    return this.#ask('fill', order);
  }

  /** Ends it at once; returns when. */
  async kill(): Promise<number> {
    this.child.kill('SIGKILL');
    const at = machineTime();
    await this.#exit;
    return at;
  }

  #ask<T>(what: string, order: object): Promise<T> {
    const id = String((this.#count += 1));
    const answer = this.#answer<T>(id);
    this.child.stdin!.write(`${JSON.stringify({ id, what, ...order })}\n`);
    return answer;
  }

  #answer<T>(id: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result as T) : reject(new Error(error)),
      );
    });
  }

  #hear(said: Said): void {
    this.#waiting.get(said.id)?.(said);
    this.#waiting.delete(said.id);
  }
}
