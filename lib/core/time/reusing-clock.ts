import { LONGEST_TIMER } from './clock.js';
import { SystemClock } from './system-clock.js';

/** Something to be done, and when: ms on the clock of Node's timers. */
interface Errand {
  readonly due: number;
  readonly task: () => void;
}

/** Real time for a pool. Nearly every lock sets a timer and takes it back, which is dear in Node: one is kept for the next. */
export class ReusingClock extends SystemClock {
  /** Taken back, and still to ring. */
  #spare: Alarm | undefined;

  override schedule(delay: number, task: () => void): () => void {
    const errand = { due: performance.now() + delay, task };
    const alarm = this.#takeSpare(errand) ?? new Alarm(errand, delay, (idle) => this.#forget(idle));
    return () => {
      if (alarm.errand === errand) this.#takeBack(alarm);
    };
  }

  #takeSpare(errand: Errand): Alarm | undefined {
    const spare = this.#spare;
    if (spare === undefined || spare.rings > errand.due || spare.isOrphaned) return undefined;
    this.#spare = undefined;
    spare.serve(errand);
    return spare;
  }

  /** Of two the one that rings first is of use to more. */
  #takeBack(alarm: Alarm): void {
    const spare = this.#spare;
    if (spare !== undefined && spare.rings <= alarm.rings) return alarm.end();
    spare?.end();
    alarm.rest();
    this.#spare = alarm;
  }

  #forget(alarm: Alarm): void {
    if (this.#spare === alarm) this.#spare = undefined;
  }
}

/** A timer that may ring before its errand is due, and is then set again. */
class Alarm {
  /** Undefined where it was taken back, or has rung. */
  errand: Errand | undefined;
  /** When it rings, ms. */
  rings = 0;
  #timer: NodeJS.Timeout | undefined;
  /** What made the timer. */
  #maker = setTimeout;

  constructor(
    errand: Errand,
    delay: number,
    private readonly rangForNobody: (alarm: Alarm) => void,
  ) {
    this.#start(errand, delay);
  }

  /** Whether tests have put other timers in the place of those of Node since it was made: it may never ring. */
  get isOrphaned(): boolean {
    return this.#maker !== setTimeout;
  }

  serve(errand: Errand): void {
    this.errand = errand;
    this.#timer?.ref();
  }

  /** Goes on without an errand, and keeps no process alive. */
  rest(): void {
    this.errand = undefined;
    this.#timer?.unref();
  }

  end(): void {
    this.errand = undefined;
    clearTimeout(this.#timer);
  }

  #start(errand: Errand, delay: number): void {
    this.errand = errand;
    this.rings = errand.due;
    this.#maker = setTimeout;
    this.#timer = setTimeout(() => this.#ring(), Math.min(delay, LONGEST_TIMER));
  }

  #ring(): void {
    const { errand } = this;
    if (errand === undefined) return this.rangForNobody(this);
    // It counts that it rang, as timers of tests do while time stands still; Node's may ring a fraction of a ms early.
    const left = errand.due - Math.max(this.rings, performance.now());
    if (left >= 1) return this.#start(errand, Math.ceil(left));
    this.errand = undefined;
    errand.task();
  }
}
