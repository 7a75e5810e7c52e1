// What a Postgres client sends: https://www.postgresql.org/docs/current/protocol-message-formats.html
const ENCRYPTION_REQUESTS = [80_877_103, 80_877_104];
const CANCEL_REQUEST = 80_877_102;
const TERMINATE = 'X';
// Query and Sync: the answer to these is complete, and the next message begins another piece of work.
const LAST = ['Q', 'S'];

/** @typedef {{ kind: 'encrypt' | 'leave' | 'more' | 'last', bytes: Buffer }} ClientMessage */

/** Cuts the bytes of one client into messages. */
export class ClientMessages {
  #rest = Buffer.alloc(0);
  #greeted = false;

  /** @param {Buffer} chunk @returns {Generator<ClientMessage>} */
  *read(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let bytes = this.#next(); bytes; bytes = this.#next()) {
      yield { kind: this.#greeted ? kindOf(bytes) : this.#greet(bytes), bytes };
    }
  }

  /** The next message, if all of it is here. Those of the greeting have no letter before their length. */
  #next() {
    const letter = this.#greeted ? 1 : 0;
    if (this.#rest.length < letter + 4) return undefined;
    const length = letter + this.#rest.readInt32BE(letter);
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return bytes;
  }

  /** @param {Buffer} bytes @returns {ClientMessage['kind']} */
  #greet(bytes) {
    const code = bytes.readInt32BE(4);
    if (ENCRYPTION_REQUESTS.includes(code)) return 'encrypt';
    if (code === CANCEL_REQUEST) return 'leave';
    this.#greeted = true;
    return 'last';
  }
}

/** @param {Buffer} bytes @returns {ClientMessage['kind']} */
function kindOf(bytes) {
  const letter = String.fromCharCode(Number(bytes[0]));
  if (letter === TERMINATE) return 'leave';
  return LAST.includes(letter) ? 'last' : 'more';
}
