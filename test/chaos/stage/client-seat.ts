import { join } from 'node:path';
import type { ClientTerms, Mode } from '../client/terms.js';
import type { ClientRecords } from '../record.js';
import { ClientProcess } from './client-process.js';
import type { Store } from './store.js';
import type { Way } from './way.js';

export interface SeatTerms extends Omit<ClientTerms, 'client' | 'journal' | 'nodes'> {
  readonly folder: string;
  readonly program: string;
}

/** A client that lives again after it was killed, with its own ways to the nodes. */
export class ClientSeat {
  process: ClientProcess;
  readonly #past: ClientProcess[] = [];
  #lives = 0;
  #mode: Mode = 'rest';

  constructor(
    readonly name: string,
    readonly ways: readonly Way[],
    private readonly parts: { readonly terms: SeatTerms; readonly store: Store },
  ) {
    this.process = this.#start();
  }

  change(mode: Mode): void {
    this.#mode = mode;
    this.process.change(mode);
  }

  async calm(): Promise<void> {
    this.#mode = 'calm';
    await this.process.calm();
  }

  async rest(): Promise<void> {
    this.#mode = 'rest';
    await this.process.rest();
  }

  /** Starts a new process in the place of one that was killed; it works as soon as it is connected. */
  async revive(): Promise<void> {
    this.#past.push(this.process);
    this.process = this.#start();
    await this.process.opened();
    this.process.change(this.#mode);
  }

  /** What all its lives have written down since this was last asked. */
  takeRecords(): Promise<ClientRecords[]> {
    return Promise.all([...this.#past.splice(0), this.process].map((life) => life.takeRecords()));
  }

  async stop(): Promise<void> {
    await this.process.kill();
    await Promise.all(this.ways.map((way) => way.close()));
  }

  #start(): ClientProcess {
    this.#lives += 1;
    const { folder, program, ...terms } = this.parts.terms;
    const client = `${this.name}.${this.#lives}`;
    const journal = join(folder, `${client.replaceAll(' ', '-')}.jsonl`);
    const nodes = this.ways.map(({ url }) => url);
    const seed = terms.seed + this.#lives * 1_000;
    return new ClientProcess(program, { ...terms, seed, client, journal, nodes }, this.parts.store);
  }
}
