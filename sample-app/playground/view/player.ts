/** What a player tells the page. */
export interface PlayerListener {
  /** The moment has changed; `isMoving` if it goes on by itself. */
  moved(time: number, isMoving: boolean): void;
}

/** Ms between two steps, if the reader wants no motion. */
const STEP_EVERY = 1_200;

/** The moment that all drawings of a frame show. */
export class Player {
  time = 0;
  end = 1;
  /** Ms of the world in a ms. */
  rate = 1;
  isPlaying = false;
  /** The moments at which something happens. */
  steps: readonly number[] = [];
  #last: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly listener: PlayerListener,
    private readonly isCalm: () => boolean,
  ) {}

  load(end: number, steps: readonly number[]): void {
    this.end = end;
    this.steps = [...new Set(steps)].sort((one, other) => one - other);
  }

  go(time: number): void {
    this.time = Math.min(Math.max(0, time), this.end);
    this.listener.moved(this.time, this.isPlaying);
  }

  step(direction: 1 | -1): void {
    this.pause();
    const next =
      direction > 0 ? this.steps.find((at) => at > this.time + 0.5) : this.steps.findLast((at) => at < this.time - 0.5);
    this.go(next ?? (direction > 0 ? this.end : 0));
  }

  play(): void {
    if (this.time >= this.end) this.time = 0;
    this.isPlaying = true;
    this.#last = undefined;
    if (this.isCalm()) this.#stepOn();
    else requestAnimationFrame((now) => this.#tick(now));
    this.listener.moved(this.time, true);
  }

  pause(): void {
    clearTimeout(this.#timer);
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.listener.moved(this.time, false);
  }

  #tick(now: number): void {
    if (!this.isPlaying) return;
    // A page that was hidden for a while goes on where it was.
    const passed = Math.min(100, now - (this.#last ?? now));
    this.#last = now;
    this.go(this.time + passed * this.rate);
    if (this.time >= this.end) return this.pause();
    requestAnimationFrame((next) => this.#tick(next));
  }

  #stepOn(): void {
    this.#timer = setTimeout(
      () => {
        if (!this.isPlaying) return;
        const next = this.steps.find((at) => at > this.time + 0.5);
        this.go(next ?? this.end);
        if (next === undefined) this.pause();
        else this.#stepOn();
      },
      STEP_EVERY / Math.max(0.25, this.rate),
    );
  }
}
