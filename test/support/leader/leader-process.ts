import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CompiledLib } from '../compiled-lib.js';
import type { Journal, Note, Stretch } from './journal.js';
import { LEADER_SCRIPT } from './leader-script.js';

/** How a process campaigns. */
export interface Campaign {
  readonly ttl: number;
  readonly stopTimeout?: number;
  readonly work?: {
    /** How often the work throws before it works. */
    readonly throws?: number;
    /** Ms that the clean-up takes. */
    readonly cleanUp?: number;
    /** Ms after which the work resigns. */
    readonly holds?: number;
    /** Whether the work returns at once, without a clean-up. */
    readonly isPlain?: boolean;
  };
}

/** Who leads, as another process reads it. */
export interface ToldLeader {
  readonly holder: string;
  readonly process: { readonly application: string; readonly host: string; readonly pid: number };
  readonly term: number;
  readonly since: string;
}

interface Answer {
  readonly id: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** Ms on the clock that all processes of the machine share. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** An application in a process of its own, which can be terminated, killed and frozen. */
export class LeaderProcess {
  readonly exit: Promise<unknown>;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #count = 0;

  private constructor(
    readonly number: number,
    private readonly child: ChildProcess,
    journal: Journal,
  ) {
    createInterface(child.stdout!).on('line', (line) => {
      const said = JSON.parse(line) as Answer | Omit<Note, 'by'>;
      if ('what' in said) journal.add({ ...said, by: number });
      else this.#hear(said);
    });
    // Told of a process that is gone by now.
    child.stdin!.on('error', () => undefined);
    this.exit = once(child, 'close').then(() => {
      for (const id of this.#waiting.keys()) this.#hear({ id, error: 'DIED' });
    });
  }

  /** Resolves when it has read its program, so that the next one can be started; `opened` resolves when it can be used. */
  static async start(
    lib: CompiledLib,
    number: number,
    settings: { readonly nodes: readonly string[]; readonly nodeTimeout: number; readonly journal: Journal },
  ): Promise<{ readonly started: LeaderProcess; readonly opened: Promise<void> }> {
    const { journal, ...rest } = settings;
    const started = new LeaderProcess(number, await lib.run(LEADER_SCRIPT, [JSON.stringify(rest)]), journal);
    const opened = started.#answer<void>('open');
    await started.#answer('read');
    return { started, opened };
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Begins to campaign; returns when. */
  lead(role: string, { work = {}, ...options }: Campaign): Promise<number> {
    return this.#ask('lead', { role, work, ...options });
  }

  resign(role: string): Promise<void> {
    return this.#ask('resign', { role });
  }

  /** Stops campaigning; returns when. */
  close(role: string): Promise<number> {
    return this.#ask('close', { role });
  }

  leads(role: string): Promise<boolean> {
    return this.#ask('leads', { role });
  }

  leader(role: string): Promise<ToldLeader | null> {
    return this.#ask('leader', { role });
  }

  async stretches(role: string): Promise<Stretch[]> {
    return (await this.#ask<Stretch[]>('stretches', {})).filter((stretch) => stretch.role === role);
  }

  /** Blocks its event loop for so many ms, then writes; returns whether it takes itself for the leader afterwards. */
  block(role: string, ms: number): Promise<boolean> {
    return this.#ask('block', { role, ms });
  }

  /** As an orchestrator ends a process; resolves when it is over. */
  async terminate(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exit;
  }

  /** Ends it at once; returns when. */
  async kill(): Promise<number> {
    this.child.kill('SIGKILL');
    const at = machineTime();
    await this.exit;
    return at;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
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

  #hear(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}
