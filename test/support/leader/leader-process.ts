import { ChildProgram } from '../child-program.js';
import type { CompiledLib } from '../compiled-lib.js';
import type { Journal, Note, Stretch } from './journal.js';
import { LEADER_SCRIPT } from './leader-script.js';

/** How a process campaigns. */
export interface Campaign {
  readonly ttl: number;
  /** Ms that the clean-up takes. */
  readonly cleanUp?: number;
}

/** Who leads, as another process reads it. */
export interface ToldLeader {
  readonly holder: string;
  readonly process: { readonly application: string; readonly host: string; readonly pid: number };
  readonly term: number;
  readonly since: string;
}

/** An application in a process of its own, which can be terminated, killed and frozen. */
export class LeaderProcess {
  private constructor(
    readonly number: number,
    private readonly program: ChildProgram,
  ) {}

  /** Resolves when it has read its program, so that the next one can be started; `opened` resolves when it can be used. */
  static async start(
    lib: CompiledLib,
    number: number,
    settings: { readonly nodes: readonly string[]; readonly nodeTimeout: number; readonly journal: Journal },
  ): Promise<{ readonly started: LeaderProcess; readonly opened: Promise<void> }> {
    const { journal, ...rest } = settings;
    const child = await lib.run(LEADER_SCRIPT, [JSON.stringify(rest)]);
    const program = new ChildProgram(child, (note) => journal.add({ ...(note as Omit<Note, 'by'>), by: number }));
    const opened = program.answer<void>('open');
    await program.answer('read');
    return { started: new LeaderProcess(number, program), opened };
  }

  get pid(): number {
    return this.program.pid;
  }

  /** Begins to campaign; returns when. */
  lead(role: string, { cleanUp = 0, ttl }: Campaign): Promise<number> {
    return this.program.ask('lead', { role, ttl, cleanUp });
  }

  /** Stops campaigning; returns when. */
  close(role: string): Promise<number> {
    return this.program.ask('close', { role });
  }

  leads(role: string): Promise<boolean> {
    return this.program.ask('leads', { role });
  }

  leader(role: string): Promise<ToldLeader | null> {
    return this.program.ask('leader', { role });
  }

  async stretches(role: string): Promise<Stretch[]> {
    return (await this.program.ask<Stretch[]>('stretches')).filter((stretch) => stretch.role === role);
  }

  /** Blocks its event loop for so many ms, then writes; returns whether it takes itself for the leader afterwards. */
  block(role: string, ms: number): Promise<boolean> {
    return this.program.ask('block', { role, ms });
  }

  /** As an orchestrator ends a process; resolves when it is over. */
  async terminate(): Promise<void> {
    await this.program.end('SIGTERM');
  }

  /** Ends it at once; returns when. */
  kill(): Promise<number> {
    return this.program.end('SIGKILL');
  }

  freeze(): void {
    this.program.signal('SIGSTOP');
  }

  thaw(): void {
    this.program.signal('SIGCONT');
  }
}
