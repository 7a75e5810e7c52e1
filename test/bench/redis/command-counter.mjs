const LINE_FEED = 10;
const DOLLAR = 36;
const ASTERISK = 42;
const ZERO = 48;

/** Counts the commands in the bytes that a client sends, wherever the network has cut them. */
export class CommandCounter {
  #partsLeft = 0;
  /** Bytes of a part that are yet to come, with the line end behind it. */
  #bodyLeft = 0;
  #kind = 0;
  #number = 0;

  /** @param {Buffer} bytes @returns {number} how many commands ended in them */
  read(bytes) {
    let commands = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#bodyLeft > 0) {
        const skipped = Math.min(this.#bodyLeft, bytes.length - at);
        this.#bodyLeft -= skipped;
        at += skipped - 1;
        if (this.#bodyLeft === 0 && this.#partsLeft === 0) commands += 1;
        continue;
      }
      this.#readHeader(Number(bytes[at]));
    }
    return commands;
  }

  /** @param {number} byte */
  #readHeader(byte) {
    if (byte === ASTERISK || byte === DOLLAR) {
      this.#kind = byte;
      this.#number = 0;
    } else if (byte === LINE_FEED) {
      if (this.#kind === ASTERISK) this.#partsLeft = this.#number;
      else this.#beginBody();
    } else if (byte >= ZERO) this.#number = this.#number * 10 + byte - ZERO;
  }

  #beginBody() {
    this.#partsLeft -= 1;
    this.#bodyLeft = this.#number + 2;
  }
}
