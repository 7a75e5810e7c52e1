import { once } from 'node:events';
import { connect } from 'node:net';

const LINE_FEED = 10;

/** Bare sockets to all nodes, each of which answers a call with one line. */
export class BareNodes {
  #turn = 0;
  #missing = 0;
  #done = () => {};
  /** @type {number[][]} for each node, which turns its next answers belong to */
  #awaited;

  /** @param {readonly number[]} ports */
  static async open(ports) {
    const sockets = ports.map((port) => connect(port, '127.0.0.1').setNoDelay(true));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return new BareNodes(sockets);
  }

  /** @param {import('node:net').Socket[]} sockets */
  constructor(sockets) {
    this.sockets = sockets;
    this.#awaited = sockets.map(() => []);
    for (const [nodeIndex, socket] of sockets.entries()) socket.on('data', (bytes) => this.#read(nodeIndex, bytes));
  }

  /** @param {readonly Buffer[]} calls one for each node @returns {Promise<void>} when a quorum has answered */
  ask(calls) {
    return new Promise((resolve) => {
      this.#turn += 1;
      this.#missing = (this.sockets.length >> 1) + 1;
      this.#done = resolve;
      for (const [nodeIndex, socket] of this.sockets.entries()) {
        this.#awaited[nodeIndex]?.push(this.#turn);
        socket.write(/** @type {Buffer} */ (calls[nodeIndex]));
      }
    });
  }

  close() {
    for (const socket of this.sockets) socket.destroy();
  }

  /** @param {number} nodeIndex @param {Buffer} bytes */
  #read(nodeIndex, bytes) {
    for (const byte of bytes) {
      if (byte !== LINE_FEED || this.#awaited[nodeIndex]?.shift() !== this.#turn) continue;
      this.#missing -= 1;
      if (this.#missing === 0) this.#done();
    }
  }
}
