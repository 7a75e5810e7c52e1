import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keeper } from '../../support/redis-server/keeper.js';
import type { Mode } from '../client/terms.js';
import type { ClientRecords } from '../record.js';
import { ChaosNode } from './chaos-node.js';
import { ClientSeat, type SeatTerms } from './client-seat.js';
import { compileClockShim } from '../../support/clock-shim/library.js';
import { Store } from './store.js';
import { Way } from './way.js';

export interface StageTerms extends Omit<SeatTerms, 'folder'> {
  readonly nodeCount: number;
  readonly clientCount: number;
}

/** Everything that runs: nodes, ways, clients, and the store that they write to. It ends with `stop`. */
export class Stage {
  readonly store = new Store();
  nodes: readonly ChaosNode[] = [];
  clients: readonly ClientSeat[] = [];
  /** Whether the clocks of the nodes can be moved. */
  hasClocks = false;

  private constructor(
    readonly terms: StageTerms,
    private readonly folder: string,
  ) {}

  static async start(terms: StageTerms): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-chaos-run-'));
    keeper.add('folder', folder);
    const stage = new Stage(terms, folder);
    try {
      await stage.#raise();
      return stage;
    } catch (error) {
      await stage.stop();
      throw error;
    }
  }

  change(mode: Mode): void {
    for (const client of this.clients) client.change(mode);
  }

  /** Resolves when every client knows of it: none of them blocks its event loop any more. */
  async calm(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.calm()));
  }

  async rest(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.rest()));
  }

  async takeRecords(): Promise<ClientRecords[]> {
    return (await Promise.all(this.clients.map((client) => client.takeRecords()))).flat();
  }

  get crashes(): string[] {
    return this.clients.flatMap(({ process: { crash } }) => crash ?? []);
  }

  /** The keys of each node that answers. */
  keys(): Promise<string[][]> {
    return Promise.all(this.nodes.map((node) => node.ask((redis) => redis.keys('*'))));
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()));
    await Promise.all(this.nodes.map((node) => node.stop()));
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }

  async #raise(): Promise<void> {
    const { nodeCount, clientCount } = this.terms;
    const shim = compileClockShim(this.folder);
    this.hasClocks = shim !== undefined;
    const workshop = { folder: this.folder, shim };
    const nodes: ChaosNode[] = [];
    this.nodes = nodes;
    for (let number = 1; number <= nodeCount; number += 1)
      nodes.push(await ChaosNode.start(`node ${number}`, workshop));
    const clients: ClientSeat[] = [];
    this.clients = clients;
    for (let number = 1; number <= clientCount; number += 1) clients.push(await this.#nodeIndex(number));
    await Promise.all(clients.map((client) => client.process.opened()));
  }

  async #nodeIndex(number: number): Promise<ClientSeat> {
    const ways = await Promise.all(this.nodes.map(({ server }) => Way.start(server)));
    const { nodeCount: _nodes, clientCount: _clients, ...shared } = this.terms;
    const terms = { ...shared, folder: this.folder, seed: shared.seed * 31 + number };
    return new ClientSeat(`client ${number}`, ways, { terms, store: this.store });
  }
}
