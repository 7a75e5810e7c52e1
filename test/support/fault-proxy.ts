import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { CommandReader } from './fault-proxy/command-reader.js';
import { Direction } from './fault-proxy/direction.js';
import { HOST, listenOnFreePort } from './redis-server/ports.js';

export interface Faults {
  /** How long requests are held back, in ms; their order stays. */
  requestDelay: number;
  /** How long replies are held back, in ms; their order stays. */
  replyDelay: number;
  /** Requests arrive, and their replies are lost. */
  dropReplies: boolean;
  /** Nothing passes in either direction, not even the end of a connection. */
  blackhole: boolean;
}

/** A TCP proxy before one node, whose faults can be set and cleared while connections are open. */
export class FaultProxy implements Faults {
  requestDelay = 0;
  replyDelay = 0;
  dropReplies = false;
  blackhole = false;
  readonly host = HOST;
  readonly url: string;
  /** The names of the commands that were passed on to the node, in order, in capitals. */
  readonly commands: string[] = [];
  /** Bytes passed on to the node. */
  requestBytes = 0;
  /** Bytes passed on to clients. */
  replyBytes = 0;
  readonly #links = new Set<Direction[]>();
  #paused = false;

  constructor(
    private readonly server: Server,
    private target: { host: string; port: number },
    readonly port: number,
  ) {
    this.url = `redis://${HOST}:${port}`;
    server.on('connection', (client) => this.#link(client));
  }

  /** Connections between clients and the node that have not ended on both sides. */
  get connections(): number {
    return this.#links.size;
  }

  /** Stops reading on both sides: what is sent waits, and arrives after `resume`. */
  pause(): void {
    this.#paused = true;
    for (const link of this.#links) for (const direction of link) direction.pause();
  }

  /** The same for replies only: what is sent arrives. */
  pauseReplies(): void {
    for (const [, replies] of this.#links) replies?.pause();
  }

  resume(): void {
    this.#paused = false;
    for (const link of this.#links) for (const direction of link) direction.resume();
  }

  /** Leads to another node from now on, as a name that changed or a failover would; open connections break. */
  redirect(target: { host: string; port: number }): void {
    this.target = target;
    this.resetAll();
  }

  /** Breaks every open connection on both sides, without a goodbye; new ones are welcome. */
  resetAll(): void {
    for (const [requests] of this.#links) requests?.reset();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.resetAll();
    await closed;
  }

  #link(client: Socket): void {
    const node = connect(this.target);
    const reader = new CommandReader((name) => this.commands.push(name));
    const requests = new Direction(client, node, {
      delay: () => this.requestDelay,
      isLost: () => this.blackhole,
      passed: (chunk) => {
        this.requestBytes += chunk.length;
        reader.read(chunk);
      },
      isCut: () => this.blackhole,
    });
    const replies = new Direction(node, client, {
      delay: () => this.replyDelay,
      isLost: () => this.blackhole || this.dropReplies,
      passed: (chunk) => (this.replyBytes += chunk.length),
      isCut: () => this.blackhole,
    });
    const link = [requests, replies];
    this.#links.add(link);
    // In a black hole one side ends without the other: both have to go before it is forgotten.
    for (const side of [client, node]) side.once('close', () => this.#forget(link, [client, node]));
    if (this.#paused) for (const direction of link) direction.pause();
  }

  #forget(link: Direction[], sides: Socket[]): void {
    if (sides.every((side) => side.destroyed)) this.#links.delete(link);
  }
}

export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const { server, port } = await listenOnFreePort();
  return new FaultProxy(server, target, port);
}
