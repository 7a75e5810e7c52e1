import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { ask } from '../redis/ask.mjs';
import { COMPARE_AND_DELETE, COMPARE_AND_DELETE_SHA } from './compare-and-delete.mjs';
import { nextValue } from './values.mjs';

// Many more than are ever in use at once: a name comes back long after its release.
const PREPARED = 16_384;
const LINE_FEED = 10;
const PLUS_SIGN = 43;
const COLON = 58;
const ZERO = 48;

/** @typedef {{ acquire: string, release: string }} Commands one lock's, ready to be sent */
/** @typedef {{ votes: number, refusals: number, resolve: () => void, reject: (error: Error) => void }} Operation */

/**
 * What Node and the nodes can do at best with one command per operation: nothing is built, and what one turn of the event
 * loop asks for goes to each node in one write.
 * @param {import('./candidates.mjs').Settings} settings
 * @returns {Promise<import('./candidates.mjs').Client>}
 */
export async function connect({ ports, ttl }) {
  const run = nextValue();
  const prepared = Array.from({ length: PREPARED }, (_, index) => commandsFor(`limit:${run}:${index}`, ttl));
  await Promise.all(ports.map((port) => ask(port, `SCRIPT LOAD "${COMPARE_AND_DELETE}"`)));
  const wire = new Wire(await Promise.all(ports.map((port) => open(port))));
  let next = 0;
  return {
    async acquire() {
      const commands = /** @type {Commands} */ (prepared[next]);
      next = (next + 1) % PREPARED;
      await wire.send(commands.acquire);
      return commands;
    },
    release: (/** @type {Commands} */ commands) => wire.send(commands.release),
  };
}

/** All nodes at once: they are sent the same bytes. */
class Wire {
  #sockets;
  #outgoing = '';
  /** @type {Operation[]} */
  #leaving = [];
  #replies;

  /** @param {import('node:net').Socket[]} sockets */
  constructor(sockets) {
    this.#sockets = sockets;
    const quorum = (sockets.length >> 1) + 1;
    this.#replies = sockets.map(() => new Replies(quorum));
    for (const [index, socket] of sockets.entries()) {
      socket.on('data', (bytes) => this.#replies[index]?.read(bytes));
    }
  }

  /** @param {string} text @returns {Promise<void>} */
  send(text) {
    return new Promise((resolve, reject) => {
      if (this.#outgoing === '') setImmediate(() => this.#flush());
      this.#outgoing += text;
      this.#leaving.push({ votes: 0, refusals: 0, resolve, reject });
    });
  }

  #flush() {
    const bytes = Buffer.from(this.#outgoing, 'latin1');
    for (const [index, socket] of this.#sockets.entries()) {
      if (!socket.writable) continue;
      this.#replies[index]?.expect(this.#leaving);
      socket.write(bytes);
    }
    this.#outgoing = '';
    this.#leaving = [];
  }
}

/** The replies of one node: one line each, of which the first characters tell everything. */
class Replies {
  /** @type {Operation[]} */
  #awaited = [];
  #isVote = false;
  #column = 0;

  /** @param {number} quorum */
  constructor(quorum) {
    this.quorum = quorum;
  }

  /** @param {Operation[]} operations */
  expect(operations) {
    this.#awaited.push(...operations);
  }

  /** @param {Buffer} bytes */
  read(bytes) {
    for (const byte of bytes) {
      if (byte === LINE_FEED) {
        this.#column = 0;
        count(/** @type {Operation} */ (this.#awaited.shift()), this.#isVote, this.quorum);
        continue;
      }
      if (this.#column === 0) this.#isVote = byte === PLUS_SIGN || byte === COLON;
      else if (this.#column === 1 && byte === ZERO) this.#isVote = false;
      this.#column += 1;
    }
  }
}

/** @param {Operation} operation @param {boolean} isVote @param {number} quorum */
function count(operation, isVote, quorum) {
  if (isVote) operation.votes += 1;
  else operation.refusals += 1;
  if (isVote && operation.votes === quorum) operation.resolve();
  if (!isVote && operation.refusals === quorum) operation.reject(new Error('no quorum'));
}

/** @param {string} key @param {number} ttl @returns {Commands} */
function commandsFor(key, ttl) {
  const value = nextValue();
  return {
    acquire: command('SET', key, value, 'PX', `${ttl}`, 'NX'),
    release: command('EVALSHA', COMPARE_AND_DELETE_SHA, '1', key, value),
  };
}

/** @param {string[]} parts ASCII */
function command(...parts) {
  return `*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join('')}`;
}

/** @param {number} port */
async function open(port) {
  const socket = dial(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  socket.on('error', () => undefined); // a dead node votes no more
  return socket;
}
