import { openSync, writeSync } from 'node:fs';
import { machineTime, type ClientRecord } from '../record.js';

const BEAT = 20;
/** Ms between two beats from which on a process is said to have stood still. */
const STALL = 50;

/** What this process does, written before it goes on: a line that is written survives the process. */
export class Journal {
  readonly #file: number;
  #beat = machineTime();

  constructor(path: string) {
    this.#file = openSync(path, 'a');
    setInterval(() => this.listenToHeart(), BEAT).unref();
  }

  write(record: ClientRecord): void {
    this.listenToHeart();
    writeSync(this.#file, `${JSON.stringify(record)}\n`);
  }

  /** Notes that the process has stood still, if it has. */
  listenToHeart(): void {
    const [from, at] = [this.#beat, machineTime()];
    this.#beat = at;
    if (at - from > STALL) writeSync(this.#file, `${JSON.stringify({ what: 'stall', from, at })}\n`);
  }
}
