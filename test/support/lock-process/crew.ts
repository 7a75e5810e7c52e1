import type { Trust } from '../trust.js';
import { CompiledLib } from '../compiled-lib.js';
import { TRUSTING } from '../trust.js';
import { LockProcess } from './lock-process.js';

interface CrewTerms {
  /** Ms. */
  readonly nodeTimeout?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** By default long leases, and no quarantine. */
  readonly trust?: Trust;
}

/** The processes of a test file; they start once it is prepared. */
export class Crew {
  readonly #members = new Set<LockProcess>();
  #lib: CompiledLib | undefined;
  #names = 0;

  static async make(): Promise<Crew> {
    const crew = new Crew();
    await crew.prepare();
    return crew;
  }

  /** Compiles what the processes run. */
  async prepare(): Promise<void> {
    this.#lib = await CompiledLib.make();
  }

  /** So many processes that are connected to these nodes. */
  async start(
    size: number,
    nodes: readonly string[],
    { nodeTimeout = 3_000, env = {}, trust = TRUSTING }: CrewTerms = {},
  ): Promise<LockProcess[]> {
    const started: LockProcess[] = [];
    for (let index = 0; index < size; index += 1) {
      this.#names += 1;
      const member = await LockProcess.start(this.#lib!, `process-${this.#names}`, { nodes, nodeTimeout, env, trust });
      this.#members.add(member);
      started.push(member);
    }
    await Promise.all(started.map((member) => member.opened()));
    return started;
  }

  /** Ends the processes of one test. */
  async killAll(): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.kill()));
    this.#members.clear();
  }

  async end(): Promise<void> {
    await this.killAll();
    await this.#lib?.remove();
  }
}
