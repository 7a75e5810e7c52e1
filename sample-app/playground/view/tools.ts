import { seconds } from '../events.js';
import { byId } from './element.js';
import type { Player } from './player.js';

/** The tools of a page for its player: play, steps, slider, speed and keys. */
export class Tools {
  /** Ms of the world in a ms, at speed 1. */
  baseRate = 1;

  constructor(private readonly player: Player) {
    byId('play').addEventListener('click', () => (player.isPlaying ? player.pause() : player.play()));
    byId('back').addEventListener('click', () => player.step(-1));
    byId('on').addEventListener('click', () => player.step(1));
    byId('speed').addEventListener('change', () => this.setRate());
    byId('time').addEventListener('input', () => {
      player.pause();
      player.go(Number((byId('time') as HTMLInputElement).value));
    });
    document.addEventListener('keydown', (event) => this.#typed(event));
  }

  load(end: number, steps: readonly number[]): void {
    this.player.load(end, steps);
    const slider = byId('time') as HTMLInputElement;
    slider.max = String(this.player.end);
    slider.step = String(this.player.end / 2_000);
  }

  setRate(): void {
    this.player.rate = Number((byId('speed') as HTMLSelectElement).value) * this.baseRate;
  }

  moveTo(time: number, isMoving: boolean): void {
    const slider = byId('time') as HTMLInputElement;
    slider.value = String(time);
    slider.setAttribute('aria-valuetext', seconds(time));
    byId('clock').textContent = `${seconds(time)} of ${seconds(this.player.end)}`;
    byId('play').textContent = isMoving ? 'Pause' : time >= this.player.end ? 'Play again' : 'Play';
  }

  #typed(event: KeyboardEvent): void {
    const isOwn = event.target instanceof Element && event.target.closest('button, input, select, summary, a') !== null;
    if (isOwn || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowRight') this.player.step(1);
    else if (event.key === 'ArrowLeft') this.player.step(-1);
    else if (event.key === ' ') byId('play').click();
    else return;
    event.preventDefault();
  }
}
