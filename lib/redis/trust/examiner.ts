import type { Redis } from 'ioredis';
import type { Clock } from '../../core/time/clock.js';
import type { Encoder } from '../batch/batch-encoder.js';
import { AskingAgain } from '../connection/asking-again.js';
import type { Arrival } from './address-history.js';
import { hasFences, infoOf, markerOn, readExamination, type Examination } from './server-checks.js';

/** Asks a server over a new connection what it says about itself, until it can answer. */
export class Examiner {
  /** Until a busy node can say which server it is: one with two addresses would vote twice. */
  readonly #info: AskingAgain;

  constructor(
    private readonly encoder: Pick<Encoder, 'trust' | 'marker' | 'keyPrefix'>,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {
    this.#info = new AskingAgain(clock);
  }

  async ask(redis: Redis): Promise<Omit<Examination, 'server'> & { readonly server: Arrival }> {
    let asked = 0;
    const [[info, marker], isUsed] = await Promise.all([
      this.#info.ask(() => {
        asked = this.clock.now().monotonic;
        return Promise.all([infoOf(redis), markerOn(redis, this.encoder.marker)]);
      }),
      hasFences(redis, this.encoder.keyPrefix),
    ]);
    const { server, ...rest } = readExamination({ info, marker, isUsed }, this.encoder.trust);
    return { ...rest, server: { ...server, asked } };
  }

  /** Leaves no timer. */
  close(): void {
    this.#info.close();
  }
}
