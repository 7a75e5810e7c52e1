/** Reads the names of the commands from what a client sends, however it is cut into chunks. */
export class CommandReader {
  #unread = Buffer.alloc(0);
  #partsLeft = 0;
  #nameIsNext = false;

  constructor(private readonly found: (name: string) => void) {}

  read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#partsLeft > 0 ? this.#readPart() : this.#readHead());
  }

  /** `*3\r\n`, or a command written as plain words. */
  #readHead(): boolean {
    const line = this.#takeLine();
    if (line === undefined) return false;
    if (line.startsWith('*')) {
      this.#partsLeft = Number(line.slice(1));
      this.#nameIsNext = true;
    } else if (line !== '') {
      this.found(line.split(' ', 1).join().toUpperCase());
    }
    return true;
  }

  /** `$5\r\nhello\r\n` */
  #readPart(): boolean {
    const start = this.#unread.indexOf('\r\n') + 2;
    if (start < 2) return false;
    const end = start + Number(this.#unread.toString('latin1', 1, start - 2));
    if (this.#unread.length < end + 2) return false;
    if (this.#nameIsNext) this.found(this.#unread.toString('latin1', start, end).toUpperCase());
    this.#nameIsNext = false;
    this.#partsLeft -= 1;
    this.#unread = this.#unread.subarray(end + 2);
    return true;
  }

  #takeLine(): string | undefined {
    const end = this.#unread.indexOf('\r\n');
    if (end < 0) return undefined;
    const line = this.#unread.toString('latin1', 0, end);
    this.#unread = this.#unread.subarray(end + 2);
    return line;
  }
}
