import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { HOST, listenOnFreePort } from './redis-server/ports.js';

/** A command that a node was sent, by its words. */
export type Words = readonly string[];
/** Returns the bytes that are sent for a command; undefined for the answer of a node that means well. */
export type Answering = (words: Words, socket: Socket) => string | Buffer | undefined;

export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const RUN = 'b'.repeat(40);
const INFO = bulk(`# Server\r\nredis_version:7.0.15\r\nrun_id:${RUN}\r\nrole:master`);

/** What a node says that means well, but has no locks: by the first word of the command. */
const GOOD: Readonly<Record<string, string>> = {
  hello: `%2\r\n${bulk('server')}${bulk('redis')}${bulk('proto')}:3\r\n`,
  info: INFO,
  get: '_\r\n',
  exists: ':0\r\n',
  eval: ':0\r\n',
  evalsha: '-NOSCRIPT No matching script\r\n',
};

/** A server of TCP that speaks just enough of the protocol to be taken for a node, and then answers what a test wants. */
export class HostileNode {
  readonly #sockets = new Set<Socket>();
  /** How many connections it has had. */
  connections = 0;
  readonly commands: string[] = [];
  answering: Answering = () => undefined;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(answering?: Answering): Promise<HostileNode> {
    const { server, port } = await listenOnFreePort();
    const node = new HostileNode(server, port);
    if (answering) node.answering = answering;
    return node;
  }

  get url(): string {
    return `redis://${HOST}:${this.port}`;
  }

  /** Sends bytes that nobody has asked for. */
  push(bytes: string | Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    let unread = '';
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    socket.on('data', (data) => {
      unread += data.toString('latin1');
      for (let read = firstCommand(unread); read !== undefined; read = firstCommand(unread)) {
        unread = unread.slice(read.length);
        this.#answer(socket, read.words);
      }
    });
  }

  #answer(socket: Socket, words: Words): void {
    const name = words[0]!.toLowerCase();
    this.commands.push(name);
    const usual =
      name === 'subscribe' ? `>3\r\n${bulk('subscribe')}${bulk(words[1]!)}:1\r\n` : (GOOD[name] ?? '+OK\r\n');
    socket.write(this.answering([name, ...words.slice(1)], socket) ?? usual);
  }
}

/** Reads the first whole command of a text, `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`. */
function firstCommand(text: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  for (let word = 0; word < Number(head[1]); word += 1) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const start = end + 2;
    at = start + Number(text.slice(at + 1, end)) + 2;
    if (at > text.length) return undefined;
    words.push(text.slice(start, at - 2));
  }
  return { words, length: at };
}
