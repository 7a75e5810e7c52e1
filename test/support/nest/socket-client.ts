import { once } from 'node:events';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { Deferred } from './deferred.js';

export interface Received {
  readonly event: string;
  readonly data: unknown;
}

interface Wire {
  send(event: string, data: unknown): void;
  close(): void;
}

const open = new Set<SocketClient>();

/** A client of a gateway, the same for socket.io and for plain WebSockets. */
export class SocketClient {
  readonly received: Received[] = [];
  #changed = new Deferred();
  #wire!: Wire;

  static async overSocketIo(url: string): Promise<SocketClient> {
    const client = new SocketClient();
    const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false });
    socket.onAny((event: string, data: unknown) => client.#take({ event, data }));
    client.#wire = { send: (event, data) => void socket.emit(event, data), close: () => void socket.disconnect() };
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', reject);
    });
    return client.#opened();
  }

  static async overWebSocket(url: string): Promise<SocketClient> {
    const client = new SocketClient();
    const socket = new WebSocket(url.replace('http', 'ws'));
    socket.on('message', (text: Buffer) => client.#take(JSON.parse(text.toString()) as Received));
    client.#wire = { send: (event, data) => socket.send(JSON.stringify({ event, data })), close: () => socket.close() };
    await once(socket, 'open');
    return client.#opened();
  }

  send(event: string, data: unknown): void {
    this.#wire.send(event, data);
  }

  /** The next answer, whatever it is. */
  async ask(event: string, data: unknown): Promise<Received> {
    const before = this.received.length;
    this.send(event, data);
    await this.until(before + 1);
    return this.received[before]!;
  }

  /** Resolves once so many have come. */
  async until(count: number): Promise<void> {
    while (this.received.length < count) await this.#changed.promise;
  }

  close(): void {
    open.delete(this);
    this.#wire.close();
  }

  #opened(): this {
    open.add(this);
    return this;
  }

  #take(message: Received): void {
    this.received.push(message);
    this.#changed.resolve();
    this.#changed = new Deferred();
  }
}

export function closeSockets(): void {
  for (const client of open) client.close();
}
