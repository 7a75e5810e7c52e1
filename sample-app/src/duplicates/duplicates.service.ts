import { Injectable } from '@nestjs/common';
import { RedlockService } from 'nestjs-redlock';
import { UsersRepository } from '../users/users.repository.js';

export interface Removal {
  /** Users that were removed. */
  removed: number;
  /** Addresses that were passed over: somebody signs up with them, or another replica is at them. */
  busy: string[];
}

/**
 * Clears up after sign-ups without a lock. No decorator says what this needs: which resources there are shows on the
 * way, each is held for its own turn only, and one that is held is left for the next time.
 */
@Injectable()
export class DuplicatesService {
  constructor(
    private readonly users: UsersRepository,
    private readonly redlock: RedlockService,
  ) {}

  async removeAll(): Promise<Removal> {
    const removal: Removal = { removed: 0, busy: [] };
    for (const email of await this.users.takenTwice()) {
      const removed = await this.removeUnlessBusy(email);
      if (removed === undefined) removal.busy.push(email);
      else removal.removed += removed;
    }
    return removal;
  }

  private async removeUnlessBusy(email: string): Promise<number | undefined> {
    // The resource of UsersController, so that nobody signs up with the address meanwhile: `key` encodes what @WithLock encodes.
    const resource = this.redlock.key('user:<0|trim|lower>', email);
    await using lock = await this.redlock.tryAcquire(resource);
    return lock === null ? undefined : await this.users.keepFirst(email);
  }
}
