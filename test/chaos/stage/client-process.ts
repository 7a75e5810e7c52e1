import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, truncate } from 'node:fs/promises';
import { keeper } from '../../support/redis-server/keeper.js';
import type { ClientTerms, Mode, Order, TurnOrder, Word } from '../client/terms.js';
import type { ClientRecord, ClientRecords } from '../record.js';
import type { Store } from './store.js';

const LAST_WORDS = 1_000;

/** One life of a client: a process of its own that can be frozen and killed. */
export class ClientProcess {
  readonly #words: Word[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #child: ChildProcess;
  #stderr = '';
  #gone = false;
  #killed = false;
  #frozen = false;

  constructor(
    program: string,
    readonly terms: ClientTerms,
    private readonly store: Store,
  ) {
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
    this.#child = fork(program, [JSON.stringify(terms)], { stdio: [...stdio], execArgv: [] });
    const { pid } = this.#child;
    if (pid !== undefined) keeper.add('pid', pid);
    this.#child.stderr!.on('data', (text) => (this.#stderr = (this.#stderr + String(text)).slice(-LAST_WORDS)));
    this.#child.on('message', (word: Word) => this.#hear(word));
    // An order to one that was just killed; its end says the same.
    this.#child.on('error', () => undefined);
    this.#child.once('exit', () => {
      this.#gone = true;
      if (pid !== undefined) keeper.remove('pid', pid);
      this.#tell();
    });
  }

  /** Resolves when it is connected. */
  async opened(): Promise<void> {
    await this.#heard((word) => word.say === 'open');
    if (!this.#words.some(({ say }) => say === 'open')) throw new Error(`a client did not start:\n${this.#stderr}`);
  }

  order(order: Order): void {
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }

  change(mode: Mode): void {
    this.order({ do: 'mode', mode });
  }

  /** Resolves when it knows, or is gone. */
  calm(): Promise<void> {
    return this.#change('calm', 'calm');
  }

  /** Resolves when it has ended all that it had begun, or is gone. */
  rest(): Promise<void> {
    return this.#change('rest', 'resting');
  }

  /** Answers whether it got the lock; `over` resolves when it has given it back. */
  async turn(turn: TurnOrder): Promise<{ readonly isHolder: boolean; readonly over: Promise<unknown> }> {
    const { id } = turn;
    this.order({ do: 'turn', turn });
    const answer = await this.#heard((word) => 'id' in word && word.id === id);
    const over = this.#heard((word) => 'id' in word && word.id === id && word.say !== 'acquired');
    return { isHolder: answer?.say === 'acquired', over };
  }

  freeze(): void {
    this.#frozen = this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    if (this.#frozen) this.#child.kill('SIGCONT');
    this.#frozen = false;
  }

  async kill(): Promise<void> {
    this.#killed = true;
    if (this.#gone) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  /** Why it ended without having been killed. */
  get crash(): string | undefined {
    return this.#gone && !this.#killed ? `${this.terms.client} ended by itself: ${this.#stderr}` : undefined;
  }

  /** What it has written down since this was last asked. */
  async takeRecords(): Promise<ClientRecords> {
    const text = await readFile(this.terms.journal, 'utf8').catch(() => '');
    // It appends, so that its next line begins at the new end.
    if (text !== '') await truncate(this.terms.journal);
    // Whatever follows the last line end was cut short together with the process.
    const lines = text.split('\n').slice(0, -1);
    return { client: this.terms.client, records: lines.map((line) => JSON.parse(line) as ClientRecord) };
  }

  async #change(mode: Mode, answer: Word['say']): Promise<void> {
    const before = this.#words.length;
    this.change(mode);
    await this.#heard(({ say }, index) => say === answer && index >= before);
  }

  #hear(word: Word): void {
    if (word.say === 'store') {
      this.order({ do: 'reply', request: word.request, reply: this.store.serve(word.what) });
      return;
    }
    this.#words.push(word);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The first word that fits; undefined where the process ends without it. */
  #heard(fits: (word: Word, index: number) => boolean): Promise<Word | undefined> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.#words.find(fits);
        if (!found && !this.#gone) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }
}
