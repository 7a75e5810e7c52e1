import type { Tone, Trace } from '../events.js';
import type { Watched } from '../recorder.js';

/** A scene after it was played. */
export interface Played {
  readonly trace: Trace;
  readonly tone: Tone;
  /** What it came to: counted, not written beforehand. */
  readonly verdict: string;
}

/** One drawing: a world with a script. */
export interface Scene {
  readonly name: string;
  /** What to look at, in a sentence or two. */
  readonly tells: string;
  play(watched?: Watched): Promise<Played>;
}

/** One idea, with a drawing for each way to do it. */
export interface Frame {
  readonly id: string;
  readonly title: string;
  /** The title in the list of frames. */
  readonly short: string;
  readonly lead: string;
  readonly scenes: readonly Scene[];
}
