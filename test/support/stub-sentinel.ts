import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { HOST, listenOnFreePort } from './redis-server/ports.js';

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

/** A Sentinel that names the master that a test wants, whatever that is. */
export class StubSentinel {
  readonly #listeners = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private master: number,
  ) {
    server.on('connection', (socket) => {
      socket.on('error', () => undefined).on('data', (data) => this.#answer(socket, String(data)));
      socket.on('close', () => this.#listeners.delete(socket));
    });
  }

  static async start(master: number): Promise<StubSentinel> {
    const { server, port } = await listenOnFreePort();
    return new StubSentinel(server, port, master);
  }

  get options(): { sentinels: { host: string; port: number }[]; name: string } {
    return { sentinels: [{ host: HOST, port: this.port }], name: 'mymaster' };
  }

  /** How many connections wait for the news of a failover. */
  get listeners(): number {
    return this.#listeners.size;
  }

  names(master: number): void {
    this.master = master;
  }

  tellOfFailover(): void {
    const words = ['message', '+switch-master', 'mymaster'].map(bulk).join('');
    for (const socket of this.#listeners) socket.write(`*3\r\n${words}`);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#listeners) socket.destroy();
    await closed;
  }

  /** Answers each command by its words; it speaks RESP2 only. */
  #answer(socket: Socket, data: string): void {
    for (const command of data.split(/\*\d+\r\n/).slice(1)) {
      const words = command.toLowerCase();
      if (words.includes('get-master-addr-by-name')) socket.write(`*2\r\n${bulk(HOST)}${bulk(String(this.master))}`);
      else if (words.includes('subscribe')) this.#listen(socket);
      else if (words.includes('\r\nsentinels\r\n')) socket.write('*0\r\n');
      else if (words.includes('hello')) socket.write('-NOPROTO unsupported protocol version\r\n');
      else socket.write('+OK\r\n');
    }
  }

  #listen(socket: Socket): void {
    this.#listeners.add(socket);
    socket.write(`*3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`);
  }
}
