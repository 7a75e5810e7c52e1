import type { Clock } from '../../core/time/clock.js';

/** A command on its way to a node. */
export interface Command {
  /** It reaches the node. */
  arrive(): void;
  /** It does not; `sent` is false where it never left. */
  fail(reason: string, sent: boolean): void;
}

interface Travelling {
  readonly command: Command;
  /** Ms on the clock. */
  at: number;
}

/** `slow`: ms that a command takes. */
type Fault = 'none' | 'down' | 'frozen' | { readonly slow: number };

/** The way to a node, on which things go wrong as a test says; what gets through arrives in the order in which it was sent. */
export class FaultyWay {
  readonly #travelling: Travelling[] = [];
  #fault: Fault = 'none';
  #stopTimer: () => void = () => undefined;

  constructor(private readonly clock: Clock) {}

  get isDown(): boolean {
    return this.#fault === 'down';
  }

  send(command: Command): void {
    if (this.isDown) return queueMicrotask(() => command.fail('connection refused', false));
    const delay = typeof this.#fault === 'object' ? this.#fault.slow : 0;
    // Whatever changes the delay delivers what was sent before: nothing overtakes.
    this.#travelling.push({ command, at: this.#now + delay });
    if (this.#travelling.length === 1) this.#flow();
  }

  /** What is on its way is lost, and nothing leaves any more. */
  goDown(): void {
    this.#fault = 'down';
    this.break();
  }

  /** What is on its way, and what leaves from now on, does not arrive as long as this lasts. */
  freeze(): void {
    this.#fault = 'frozen';
    this.#stopTimer();
  }

  /** What leaves from now on takes `ms` ms. */
  slowDown(ms: number): void {
    this.#fault = { slow: ms };
    this.#deliver();
  }

  recover(): void {
    this.#fault = 'none';
    this.#deliver();
  }

  /** What is on its way is lost. */
  break(): void {
    this.#stopTimer();
    for (const { command } of this.#travelling.splice(0)) {
      queueMicrotask(() => command.fail('connection closed', true));
    }
  }

  get #now(): number {
    return this.clock.now().monotonic;
  }

  /** What is on its way arrives now. */
  #deliver(): void {
    const now = this.#now;
    for (const travelling of this.#travelling) travelling.at = Math.min(travelling.at, now);
    this.#flow();
  }

  #flow(): void {
    this.#stopTimer();
    for (let next = this.#travelling[0]; next && this.#fault !== 'frozen'; next = this.#travelling[0]) {
      const left = next.at - this.#now;
      if (left > 0) {
        this.#stopTimer = this.clock.schedule(left, () => this.#flow());
        return;
      }
      this.#travelling.shift();
      next.command.arrive();
    }
  }
}
