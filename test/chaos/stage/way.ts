import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { Direction } from '../../support/fault-proxy/direction.js';
import { HOST, listenOnFreePort } from '../../support/redis-server/ports.js';

interface Link {
  readonly client: Socket;
  readonly node: Socket;
  readonly directions: readonly Direction[];
}

/**
 * The way from one client process to one node. Whatever loses bytes ends with `heal`, which breaks the connections: TCP
 * loses nothing out of the middle of a stream, so that a connection that went on would be a fault of this harness.
 */
export class Way {
  /** Ms by which each direction is late. */
  requestDelay = 0;
  replyDelay = 0;
  dropReplies = false;
  blackhole = false;
  readonly url: string;
  /** Until when replies are held up, by the monotonic clock. */
  #held = 0;
  readonly #links = new Set<Link>();

  private constructor(
    private readonly listener: Server,
    private readonly target: { readonly host: string; readonly port: number },
    port: number,
  ) {
    this.url = `redis://${HOST}:${port}`;
    listener.on('connection', (client) => this.#link(client));
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<Way> {
    const { server, port } = await listenOnFreePort();
    return new Way(server, target, port);
  }

  /** Breaks every connection on both sides. */
  reset(): void {
    for (const { client, node } of this.#links) for (const side of [client, node]) broken(side);
  }

  /** Breaks them towards the client only: what it had sent and is still under way arrives after all. */
  orphan(): void {
    for (const { client } of this.#links) broken(client);
  }

  /** Holds up for so many ms whatever the node says; then all of it arrives at once. */
  holdReplies(ms: number): void {
    this.#held = performance.now() + ms;
  }

  heal(): void {
    const lossy = this.dropReplies || this.blackhole;
    this.#held = 0;
    this.requestDelay = 0;
    this.replyDelay = 0;
    this.dropReplies = false;
    this.blackhole = false;
    if (lossy) this.reset();
  }

  async close(): Promise<void> {
    const closed = once(this.listener, 'close');
    this.listener.close();
    this.reset();
    await closed;
  }

  #link(client: Socket): void {
    const node = connect({ ...this.target, noDelay: true });
    const isCut = (): boolean => this.blackhole;
    const passed = (): void => undefined;
    const requests = new Direction(client, node, {
      delay: () => this.requestDelay,
      isLost: () => this.blackhole,
      isCut,
      passed,
    });
    const replies = new Direction(node, client, {
      delay: () => Math.max(this.replyDelay, this.#held - performance.now()),
      isLost: () => this.blackhole || this.dropReplies,
      isCut,
      passed,
    });
    const link = { client, node, directions: [requests, replies] };
    this.#links.add(link);
    for (const side of [client, node]) side.once('close', () => this.#forget(link));
  }

  #forget(link: Link): void {
    if (link.client.destroyed && link.node.destroyed) this.#links.delete(link);
  }
}

/** A socket that is being shut down cannot be reset any more: Node would keep its handle, and spin. */
function broken(socket: Socket): void {
  if (socket.writableEnded || socket.destroyed) socket.destroy();
  else socket.resetAndDestroy();
}
