import type { LockOptions } from '../../../lib/engine/options.js';
import { ChildProgram } from '../child-program.js';
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

/** A process of its own with a client of the pool, that can be killed. */
export class SlotProcess {
  private constructor(private readonly program: ChildProgram) {}

  /** Resolves when it is connected to the nodes. */
  static async start(lib: CompiledLib, nodes: readonly string[], nodeTimeout: number): Promise<SlotProcess> {
    const program = new ChildProgram(await lib.run(SLOT_SCRIPT, [JSON.stringify({ nodes, nodeTimeout })]));
    await program.answer('open');
    return new SlotProcess(program);
  }

  /** Takes a lock, and keeps it under this name. */
  take(name: string, wish: Wish): Promise<Taken> {
    return this.program.ask('take', { name, ...wish });
  }

  async isValid(name: string): Promise<boolean> {
    return (await this.program.ask<{ isValid: boolean }>('check', { name })).isValid;
  }

  release(name: string): Promise<Stay> {
    return this.program.ask('release', { name });
  }

  /** Asks once, and gives back what it gets: null if all slots are held. */
  async tries(wish: Wish): Promise<number | 'all' | null> {
    return (await this.program.ask<{ slot: number | 'all' | null }>('tries', wish)).slot;
  }

  /** Holds a lock for so many ms. */
  stay(wish: Wish & { readonly hold: number }): Promise<Stay> {
    return this.program.ask('stay', wish);
  }

  /** The same at each of these times. */
  arrive(wish: Wish & { readonly hold: number; readonly times: readonly number[] }): Promise<Stay[]> {
    return this.program.ask('arrive', wish);
  }

  /** Holds locks by turns until that time, or until `stop`. */
  work(wish: Wish & { readonly hold: number; readonly workers: number; readonly until?: number }): Promise<Stay[]> {
    return this.program.ask('work', wish);
  }

  stop(): Promise<void> {
    return this.program.ask('stop');
  }

  /** Takes and releases all slots of so many groups, but of every so many-th group leaves them to expire. */
  fill(order: {
    readonly groups: number;
    readonly slots: number;
    readonly atOnce: number;
    readonly abandons: number;
    readonly options: Wish['options'];
  }): Promise<{ readonly groups: number }> {
    return this.program.ask('fill', order);
  }

  /** Ends it at once; returns when. */
  kill(): Promise<number> {
    return this.program.end('SIGKILL');
  }
}
