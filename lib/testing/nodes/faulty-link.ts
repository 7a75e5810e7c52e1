import type { Clock } from '../../engine/clock.js';
import { soon } from '../../engine/native-timers.js';

/** A command on its way to a node. */
export interface Command {
  /** Called when the command reaches the node. */
  arrive(): void;
  /** Called when the command will not reach the node; `sent` is false if it never left. */
  fail(reason: string, sent: boolean): void;
}

interface Travelling {
  readonly command: Command;
  /** When the command arrives, ms on the monotonic clock. */
  at: number;
}

/** `slow`: the ms that a command takes. */
type Fault = 'none' | 'down' | 'frozen' | { readonly slow: number };

/** The connection to a node, with the faults that a test wants. What gets through arrives in the order in which it was sent. */
export class FaultyLink {
  readonly #travelling: Travelling[] = [];
  #fault: Fault = 'none';
  #stopTimer: () => void = () => undefined;

  constructor(private readonly clock: Clock) {}

  get isDown(): boolean {
    return this.#fault === 'down';
  }

  send(command: Command): void {
    if (this.isDown) return soon(() => command.fail('connection refused', false));
    const delay = typeof this.#fault === 'object' ? this.#fault.slow : 0;
    // No command can overtake another: whatever changes the delay first delivers what was sent before.
    this.#travelling.push({ command, at: this.#now + delay });
    if (this.#travelling.length === 1) this.#flow();
  }

  /** Loses everything that is on its way, and sends nothing more. */
  goDown(): void {
    this.#fault = 'down';
    this.break();
  }

  /** Holds back everything that is on its way or sent from now on, for as long as this fault lasts. */
  freeze(): void {
    this.#fault = 'frozen';
    this.#stopTimer();
  }

  /** Delivers at once what is on its way; everything that is sent from now on takes `ms` ms. */
  slowDown(ms: number): void {
    this.#fault = { slow: ms };
    this.#deliver();
  }

  recover(): void {
    this.#fault = 'none';
    this.#deliver();
  }

  /** Loses everything that is on its way. */
  break(): void {
    this.#stopTimer();
    for (const { command } of this.#travelling.splice(0)) {
      soon(() => command.fail('connection closed', true));
    }
  }

  get #now(): number {
    return this.clock.now().monotonic;
  }

  /** Lets everything that is on its way arrive now. */
  #deliver(): void {
    const now = this.#now;
    for (const travelling of this.#travelling) travelling.at = Math.min(travelling.at, now);
    this.#flow();
  }

  #flow(): void {
    this.#stopTimer();
    for (let next = this.#travelling[0]; next && this.#fault !== 'frozen'; next = this.#travelling[0]) {
      const remaining = next.at - this.#now;
      if (remaining > 0) {
        this.#stopTimer = this.clock.schedule(remaining, () => this.#flow());
        return;
      }
      this.#travelling.shift();
      next.command.arrive();
    }
  }
}
