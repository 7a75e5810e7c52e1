import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Traffic {
  /** In ms, asked for as a chunk arrives. */
  delay(): number;
  /** Whether a chunk disappears, asked for when it would be passed on. */
  isLost(): boolean;
  /** Whether not even the end of the connection is told. */
  isCut(): boolean;
  passed(chunk: Buffer): void;
}

/** One half of a connection: what it reads on one side it writes on the other, late or never, but in order. */
export class Direction {
  #queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly traffic: Traffic,
  ) {
    from.on('data', (chunk: Buffer) => this.#enqueue(chunk));
    from.on('close', () => this.#finish());
    // A broken connection is what this proxy is for; its end is told by 'close'.
    from.on('error', () => undefined);
  }

  pause(): void {
    this.from.pause();
  }

  resume(): void {
    this.from.resume();
  }

  reset(): void {
    for (const socket of [this.from, this.to]) socket.resetAndDestroy();
  }

  #enqueue(chunk: Buffer): void {
    const due = performance.now() + this.traffic.delay();
    this.#queue = this.#queue.then(async () => {
      const wait = due - performance.now();
      if (wait > 0) await setTimeout(wait, undefined, { ref: false });
      if (this.traffic.isLost() || this.to.destroyed) return;
      this.traffic.passed(chunk);
      this.to.write(chunk);
    });
  }

  #finish(): void {
    void this.#queue.then(() => {
      if (!this.traffic.isCut()) this.to.destroySoon();
    });
  }
}
