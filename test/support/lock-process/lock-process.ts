import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Trust } from '../trust.js';
import type { CompiledLib } from '../compiled-lib.js';
import { SCRIPT } from './script.js';
import { Turn, type Hold, type TurnTerms } from './turn.js';

/** What a process says; which of the rest is there depends on `what`. */
export interface Message {
  readonly id?: string;
  readonly what: string;
  readonly at?: number;
  readonly asked?: number;
  readonly from?: number;
  readonly until?: number;
  readonly to?: number;
  readonly stall?: number;
  readonly code?: string;
  readonly channel?: string;
  readonly event?: string;
  readonly node?: string;
  readonly validity?: number;
}

export interface ProcessSettings {
  readonly nodes: readonly string[];
  readonly nodeTimeout: number;
  readonly trust: Trust;
  readonly env: NodeJS.ProcessEnv;
}

const DIED: Message = { what: 'died' };

/** A process of its own with a client of the pool, that can be killed and frozen. */
export class LockProcess {
  readonly said: Message[] = [];
  /** The channel by which nodes know it. */
  channel = '';
  diedAt: number | undefined;
  readonly exit: Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #turns = 0;

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    createInterface(child.stdout!).on('line', (line) => this.#say(JSON.parse(line)));
    // Told of a process that is gone by now.
    child.stdin!.on('error', () => undefined);
    this.exit = once(child, 'close').then(([code]) => {
      this.diedAt ??= Number(process.hrtime.bigint()) / 1e6;
      this.#say(DIED);
      return code;
    });
  }

  /** Resolves when it has read its program, so that the next one may be started; `opened` tells when it can be used. */
  static async start(lib: CompiledLib, name: string, { env, ...settings }: ProcessSettings): Promise<LockProcess> {
    const made = new LockProcess(name, await lib.run(SCRIPT, [JSON.stringify(settings)], env));
    await made.#until(() => (made.said.length > 0 ? DIED : undefined));
    return made;
  }

  async opened(): Promise<void> {
    this.channel = (await this.#until(() => this.said.find(({ what }) => what === 'open'))).channel!;
  }

  take(terms: TurnTerms): Turn {
    this.#turns += 1;
    const id = `${this.name}.${this.#turns}`;
    this.order('take', { id, ...terms });
    return new Turn(this, id);
  }

  order(what: string, details: object = {}): void {
    this.child.stdin!.write(`${JSON.stringify({ do: what, ...details })}\n`);
  }

  /** The first message of `id` that is one of these, or that it died. */
  heard(id: string, kinds: readonly string[]): Promise<Message> {
    return this.#until(() => this.said.find((message) => message.id === id && kinds.includes(message.what)));
  }

  /** What it has held and given back so far. */
  get holds(): Hold[] {
    return this.said
      .filter(({ what }) => what === 'released')
      .map(({ id, asked, from, to }) => ({ name: id!, asked: asked!, from: from!, to: to! }));
  }

  has(kind: string): boolean {
    return this.said.some(({ what }) => what === kind);
  }

  /** Ms for which it stood still at most, as far as it has told. */
  get stall(): number {
    return Math.max(0, ...this.said.map(({ stall = 0 }) => stall));
  }

  async close(): Promise<void> {
    this.order('close', { id: 'close' });
    await this.exit;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    this.diedAt ??= Number(process.hrtime.bigint()) / 1e6;
    await this.exit;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  #say(message: Message | string): void {
    this.said.push(typeof message === 'string' ? { what: message } : message);
    for (const tell of this.#listeners) tell();
  }

  async #until(find: () => Message | undefined): Promise<Message> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find() ?? this.said.find((message) => message === DIED);
        if (!found) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }
}
