import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { keeper } from './keeper.js';
import { HOST, PortTakenError } from './ports.js';
import { serverArguments, type RedisProcess, type RedisServerOptions } from './redis-process.js';

/** A redis-server or valkey-server program of this machine. */
export class BinaryProcess implements RedisProcess {
  #child: ChildProcessByStdio<null, Readable, Readable> | undefined;
  #folder: string | undefined;

  constructor(
    private readonly program: string,
    private readonly options: RedisServerOptions,
  ) {}

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(port: number): Promise<void> {
    this.#folder ??= await temporaryFolder();
    const args = [...serverArguments(port, this.options), '--bind', HOST, '--dir', this.#folder];
    const child = spawn(this.program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) {
      keeper.add('pid', pid);
      child.once('exit', () => keeper.remove('pid', pid));
    }
    await untilReady(child, port);
  }

  async freeze(): Promise<void> {
    this.#signal('SIGSTOP');
    await this.#untilState((state) => state === 'T');
  }

  async thaw(): Promise<void> {
    this.#signal('SIGCONT');
    await this.#untilState((state) => state !== 'T');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    if (!this.#folder) return;
    await rm(this.#folder, { recursive: true, force: true });
    keeper.remove('folder', this.#folder);
    this.#folder = undefined;
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    // By the handle, not by the number: the number of a dead process may be another's by now.
    if (!this.#child?.kill(signal)) throw new Error('the node does not run');
  }

  /** A signal is on its way for a moment, in which the node could still answer. */
  async #untilState(fits: (state: string | undefined) => boolean): Promise<void> {
    const path = `/proc/${this.pid}/stat`;
    if (!existsSync(path)) return;
    while (!fits(/\) (\w)/.exec(await readFile(path, 'utf8'))?.[1])) await setImmediate();
  }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-node-'));
  keeper.add('folder', folder);
  return folder;
}

function hasEnded(child: ChildProcessByStdio<null, Readable, Readable>): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Its own word on its own output: a PING could be answered by another process on the port. */
async function untilReady(child: ChildProcessByStdio<null, Readable, Readable>, port: number): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (line: string): void => {
      if (line.includes('Ready to accept connections')) resolve();
      else output += `${line}\n`;
    };
    createInterface(child.stdout).on('line', read);
    createInterface(child.stderr).on('line', read);
    child.once('error', reject);
    child.once('close', () => {
      const taken = /address already in use/i.test(output);
      reject(taken ? new PortTakenError(port) : new Error(`the node did not start:\n${output}`));
    });
  });
}
