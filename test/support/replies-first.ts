import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { HOST, listenOnFreePort } from './redis-server/ports.js';
import { RespFrames } from './resp-frames.js';

/**
 * Stands before a node and has it tell what it publishes behind its next reply: in the order of Redis from 7.2 on, which before
 * told a client what its own command published before it answered that command.
 */
export class RepliesFirst {
  readonly url: string;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    port: number,
  ) {
    this.url = `redis://${HOST}:${port}`;
    server.on('connection', (client) => this.#link(client));
  }

  static async before(target: number): Promise<RepliesFirst> {
    const { server, port } = await listenOnFreePort();
    return new RepliesFirst(server, target, port);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #link(client: Socket): void {
    const node = connect({ host: HOST, port: this.target, noDelay: true });
    const order = new Order();
    client.on('data', (chunk) => void node.write(chunk));
    node.on('data', (chunk) => order.of(chunk).forEach((frame) => void client.write(frame)));
    for (const [side, other] of [
      [client, node],
      [node, client],
    ] as const) {
      this.#sockets.add(side);
      side.on('error', () => undefined);
      side.on('close', () => {
        this.#sockets.delete(side);
        other.destroySoon();
      });
    }
  }
}

/** Keeps messages back until a reply has gone before them. */
class Order {
  readonly #frames = new RespFrames();
  #messages: Buffer[] = [];

  of(chunk: Buffer): Buffer[] {
    return this.#frames.read(chunk).flatMap((frame) => {
      if (isMessage(frame)) {
        this.#messages.push(frame);
        return [];
      }
      const messages = this.#messages;
      this.#messages = [];
      return [frame, ...messages];
    });
  }
}

function isMessage(frame: Buffer): boolean {
  return frame.toString('latin1', 0, 32).startsWith('>3\r\n$7\r\nmessage\r\n');
}
