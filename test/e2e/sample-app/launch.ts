import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';

const LAUNCHER = fileURLToPath(new URL('../../../sample-app/start.mjs', import.meta.url));

/** Ms for one run: it may have to build the package, and on a busy machine its five nodes take their time. */
export const LIMIT = 180_000;
/** Whether this system shows the processes of others, by which those of a launch are found. */
export const SHOWS_PROCESSES = existsSync('/proc/self/environ');

/** One run of the launcher, with its data and temporary files in a folder of the test. */
export class Launch {
  output = '';
  readonly #child;
  readonly #ended: Promise<number | NodeJS.Signals | null>;

  constructor(
    private readonly folder: string,
    ...args: string[]
  ) {
    const own = { TMPDIR: this.#temporary, DATA_FOLDER: join(folder, 'data') };
    // Empty, so that neither the environment nor the reader's .env decides what is tested.
    const env = { ...process.env, ...own, REDLOCK_NODES: '', DATABASE_URL: '', BONUS_DELAY: '', PORT: '0' };
    mkdirSync(this.#temporary, { recursive: true });
    this.#child = spawn(process.execPath, [LAUNCHER, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.#ended = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve(code ?? signal)));
  }

  /** Resolves with the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null> {
    return this.#ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async untilSaid(text: string): Promise<void> {
    await eventually(() => expect(this.output).toContain(text), LIMIT);
  }

  /** The addresses of the replicas, as they are shown to the reader. */
  get replicas(): string[] {
    return [...new Set([...this.output.matchAll(/(http:\S+)\/users/g)].map(([, url = '']) => url))];
  }

  /** The address of the live page. */
  get page(): string {
    return /http:\S+\/$/m.exec(this.output)?.[0] ?? '';
  }

  /** The living processes of this folder's launches whose command line has the text in it. */
  processes(text = ''): number[] {
    const pids = SHOWS_PROCESSES ? readdirSync('/proc').map(Number).filter(Boolean) : [];
    return pids.filter(
      (pid) => this.#owns(pid) && lookAt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).includes(text),
    );
  }

  /** Throws where a process or a temporary file is left. */
  checkNothingLeft(): void {
    const left = [...this.processes(), ...readdirSync(this.#temporary)];
    if (left.length > 0) throw new Error(`left behind: ${left.join()}`);
  }

  /** The lines of the table, by endpoint. */
  get table(): Record<string, Record<string, number>> {
    const cells = this.output.split('\n').map((line) => line.trim().split(/ {2,}/));
    const [, ...titles] = cells.find(([first]) => first === 'endpoint') ?? [];
    const rows = cells.filter(([first]) => first?.startsWith('POST /'));
    return Object.fromEntries(
      rows.map(([endpoint = '', ...numbers]) => [
        endpoint,
        Object.fromEntries(titles.map((title, column) => [title, Number.parseInt(numbers[column] ?? '', 10)])),
      ]),
    );
  }

  get #temporary(): string {
    return join(this.folder, 'tmp');
  }

  /** By its environment; Redis writes its title over that, and is known by the folder that it works in. */
  #owns(pid: number): boolean {
    const environment = lookAt(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    return (
      environment.includes(this.#temporary) ||
      lookAt(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(this.#temporary)
    );
  }
}

/** Empty where the process is gone, or has ended and waits to be buried. */
function lookAt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
