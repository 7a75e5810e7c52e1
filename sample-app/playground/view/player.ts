import { seconds } from '../events.js';
import { byId } from './element.js';
import type { Panel } from './panel.js';

/** Ms between two steps, if the reader wants no motion. */
const STEP_EVERY = 1_200;

/** The moment that all drawings of a page show, and its tools: play, steps, slider, speed and keys. */
export class Player {
  panels: Panel[] = [];
  time = 0;
  isPlaying = false;
  /** Ms of a world in a ms, at speed 1. */
  baseRate = 1;
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #slider = byId('time') as HTMLInputElement;
  readonly #speed = byId('speed') as HTMLSelectElement;
  #end = 1;
  /** The moments at which something happens. */
  #steps: readonly number[] = [];
  #last: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param moved called if the moment changes, and if it begins or ends to go on by itself */
  constructor(private readonly moved: () => void = () => undefined) {
    byId('play').addEventListener('click', () => (this.isPlaying ? this.pause() : this.play()));
    byId('back').addEventListener('click', () => this.#step(-1));
    byId('on').addEventListener('click', () => this.#step(1));
    this.#slider.addEventListener('input', () => this.visit(Number(this.#slider.value)));
    document.addEventListener('keydown', (event) => this.#typed(event));
  }

  /** Whether the reader wants no motion. */
  get isCalm(): boolean {
    return this.#calm.matches;
  }

  /** Looks at the panels again: what happens in them has changed. */
  load(): void {
    this.#end = Math.max(...this.panels.map(({ end }) => end));
    this.#steps = [...new Set(this.panels.flatMap(({ steps }) => steps))].sort((one, other) => one - other);
    const step = this.#end / 2_000;
    this.#slider.step = String(step);
    // Half a step more: if 2,000 rounded steps come to a trifle more than the end, the last of them would be out of reach.
    this.#slider.max = String(this.#end + step / 2);
  }

  /** Goes to a moment, or to the end. */
  go(time = this.#end): void {
    this.time = Math.min(Math.max(0, time), this.#end);
    this.#show();
  }

  /** Goes to a moment, and stays there. */
  readonly visit = (time?: number): void => {
    this.pause();
    this.go(time);
  };

  play(): void {
    if (this.time >= this.#end) this.time = 0;
    this.isPlaying = true;
    this.#last = undefined;
    if (this.isCalm) this.#stepLater();
    else requestAnimationFrame((now) => this.#tick(now));
    this.#show();
  }

  pause(): void {
    clearTimeout(this.#timer);
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.#show();
  }

  get #rate(): number {
    return Number(this.#speed.value) * this.baseRate;
  }

  get #next(): number | undefined {
    return this.#steps.find((at) => at > this.time + 0.5);
  }

  #step(direction: 1 | -1): void {
    this.visit(direction > 0 ? this.#next : (this.#steps.findLast((at) => at < this.time - 0.5) ?? 0));
  }

  #tick(now: number): void {
    if (!this.isPlaying) return;
    // A page that was hidden for a while goes on where it was.
    const passed = Math.min(100, now - (this.#last ?? now));
    this.#last = now;
    this.go(this.time + passed * this.#rate);
    if (this.time >= this.#end) return this.pause();
    requestAnimationFrame((next) => this.#tick(next));
  }

  #stepLater(): void {
    const stepOn = (): void => {
      this.go(this.#next);
      if (this.time >= this.#end) this.pause();
      else this.#stepLater();
    };
    this.#timer = setTimeout(stepOn, STEP_EVERY / Math.max(0.25, this.#rate));
  }

  #show(): void {
    const { time, isPlaying, panels } = this;
    for (const panel of panels) panel.moveTo(time, isPlaying);
    this.#slider.value = String(time);
    this.#slider.setAttribute('aria-valuetext', seconds(time));
    byId('clock').textContent = `${seconds(time)} of ${seconds(this.#end)}`;
    byId('play').textContent = isPlaying ? 'Pause' : time >= this.#end ? 'Play again' : 'Play';
    document.body.classList.toggle(
      'broken',
      panels.some(({ isBroken }) => isBroken),
    );
    this.moved();
  }

  #typed(event: KeyboardEvent): void {
    const isOwn = event.target instanceof Element && event.target.closest('button, input, select, summary, a') !== null;
    if (isOwn || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowRight') this.#step(1);
    else if (event.key === 'ArrowLeft') this.#step(-1);
    else if (event.key === ' ') byId('play').click();
    else return;
    event.preventDefault();
  }
}
