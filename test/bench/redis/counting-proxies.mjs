import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { CommandCounter } from './command-counter.mjs';

/** Stand between a candidate and the nodes, and count what passes: what a script does on its node is not among it. */
export class CountingProxies {
  commands = 0;
  bytes = 0;
  /** @type {import('node:net').Server[]} */
  #servers = [];
  /** @type {Set<import('node:net').Socket>} */
  #sockets = new Set();

  /** @param {number[]} ports of the nodes @returns {Promise<number[]>} the ports in their place */
  async start(ports) {
    this.#servers = ports.map((port) => createServer((client) => this.#join(client, connect(port, '127.0.0.1'))));
    await Promise.all(this.#servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
    return this.#servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  }

  reset() {
    this.commands = 0;
    this.bytes = 0;
  }

  stop() {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @param {import('node:net').Socket} client @param {import('node:net').Socket} node */
  #join(client, node) {
    const counter = new CommandCounter();
    client.on('data', (bytes) => {
      this.commands += counter.read(bytes);
      this.bytes += bytes.length;
      node.write(bytes);
    });
    node.on('data', (bytes) => {
      this.bytes += bytes.length;
      client.write(bytes);
    });
    this.#tie(client, node);
    this.#tie(node, client);
  }

  /**
   * The end of one is the end of both.
   * @param {import('node:net').Socket} socket
   * @param {import('node:net').Socket} other
   */
  #tie(socket, other) {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // its close says the same
    socket.once('close', () => {
      this.#sockets.delete(socket);
      other.destroy();
    });
  }
}
