import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { keeper } from '../../support/redis-server/keeper.js';

const running = new Set<Program>();

/** A process of a test, which is gone with this process at the latest. It sees only the environment that it is given. */
export class Program {
  output = '';
  readonly #ended: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    const { pid } = child;
    this.#ended = once(child, 'exit');
    if (pid !== undefined) {
      keeper.add('pid', pid);
      child.once('exit', () => keeper.remove('pid', pid));
    }
  }

  static start(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Program {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const program = new Program(child);
    running.add(program);
    return program;
  }

  /** Asks the process to end. Returns its exit code, or the signal that ended the process. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    running.delete(this);
    this.child.kill(signal);
    await this.#ended;
    return this.child.exitCode ?? this.child.signalCode;
  }
}

/** Ends what this test file started and did not end. */
export async function endPrograms(): Promise<void> {
  await Promise.all([...running].map((program) => program.end('SIGKILL')));
}
