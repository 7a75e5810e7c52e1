import { describe, expect, it } from '@jest/globals';
import { AddressHistory, type Arrival } from '../../../../lib/redis/trust/address-history.js';

const MAX_TTL = 1_000;
/** The clock of each server is 500 to 510 ms ahead of ours. */
const AHEAD = { least: 500, most: 510 };
const at = (monotonic: number) => ({ monotonic, wall: 1_000_000 + monotonic });

/** A server that by its marker has been a node since then, ms on its clock. */
const known = (run: string, since: number): Arrival => ({ run, since });
const fresh = (run: string): Arrival => ({ run, since: undefined });

/** One address, and the client to which it leads somewhere. */
class Address {
  readonly history = new AddressHistory(MAX_TTL);

  /** Returns since when the server may not vote to which the address leads from now on. */
  leadTo(server: Arrival, now: number): number | undefined {
    this.history.arrive(server, now);
    return this.history.outSince(AHEAD, now);
  }
}

describe('AddressHistory', () => {
  /** An address that leads to a server from 1,000 on, which has answered so, once a second after that. */
  const addressOf = (server: Arrival, ...answers: readonly string[]): Address => {
    const address = new Address();
    expect(address.leadTo(server, 1_000)).toBeUndefined();
    answers.forEach((answer, index) => address.history.note(answer, at(1_200 + 100 * index)));
    return address;
  };

  it.each(['granted', 'held', 'extended'])('keeps another server out since the first one last said "%s"', (answer) => {
    expect(addressOf(fresh('abc'), 'held', answer).leadTo(fresh('def'), 1_900)).toBe(1_300);
  });

  it.each(['quarantined', 'unknown', 'missing', 'taken', 'gone', 'released', 'raised', 'passed', 'kept'])(
    'does not conclude from "%s" that locks rest on a server',
    (answer) => {
      expect(addressOf(fresh('abc'), answer).leadTo(fresh('def'), 1_900)).toBeUndefined();
      expect(addressOf(fresh('abc'), 'granted', answer).leadTo(fresh('def'), 1_900)).toBe(1_200);
    },
  );

  it('concludes it where the server could vote for others, since it came or since it had been there for maxTtl', () => {
    expect(addressOf(known('abc', 0)).leadTo(fresh('def'), 1_900)).toBe(1_000);
    expect(addressOf(fresh('abc')).leadTo(fresh('def'), 2_000)).toBe(1_000);
    expect(addressOf(known('abc', 1_500)).leadTo(fresh('def'), 1_900)).toBeUndefined();
    expect(addressOf(known('abc', 1_500)).leadTo(fresh('def'), 2_000)).toBe(1_000);
  });

  it('keeps no server out that comes back before another one could vote', () => {
    const address = addressOf(known('abc', 0), 'granted');
    expect(address.leadTo(fresh('def'), 1_500)).toBe(1_200);
    expect(address.leadTo(known('abc', 0), 2_499)).toBeUndefined();
  });

  it('keeps a server out that comes back after another one could vote', () => {
    const address = addressOf(known('abc', 0), 'granted');
    expect(address.leadTo(fresh('def'), 1_500)).toBe(1_200);
    expect(address.leadTo(known('abc', 0), 2_500)).toBe(2_500);
  });

  it('keeps a server out that comes back after one that others may have told too late not to vote', () => {
    const address = addressOf(known('abc', 0), 'granted');
    expect(address.leadTo(known('def', 0), 1_500)).toBe(1_500);
    expect(address.leadTo(known('abc', 0), 1_600)).toBe(1_600);
  });

  it('remembers the first server where the address leads to several, one after the other, that cannot vote yet', () => {
    const address = addressOf(known('abc', 0), 'granted');
    for (const run of ['def', 'ghi', 'jkl']) expect(address.leadTo(fresh(run), 1_500)).toBe(1_200);
  });

  it('keeps a server out since now that was elsewhere when locks rested on another one', () => {
    expect(addressOf(fresh('abc'), 'granted').leadTo(known('def', 1_699), 9_000)).toBe(9_000);
  });

  it.each([
    ['came later', 1_711, AHEAD],
    ['may have come later', 1_700, AHEAD],
    ['has not said what time it has', 0, undefined],
  ])('keeps a server that %s out only since then', (_case, since, ahead) => {
    const { history } = addressOf(fresh('abc'), 'granted');
    history.arrive(known('def', since), 1_900);
    expect(history.outSince(ahead, 1_900)).toBe(1_200);
  });

  it('takes the same arrival for one, and the latest time of the same server', () => {
    const server = known('abc', 0);
    const address = addressOf(server, 'granted');
    address.leadTo(server, 1_800);
    expect(address.leadTo(known('abc', 0), 1_850)).toBeUndefined();
    expect(address.leadTo(fresh('def'), 1_900)).toBe(1_850);
  });

  it('takes no answer for one of a server that it does not know', () => {
    const address = new Address();
    address.history.note('granted', at(500));
    expect(address.leadTo(fresh('abc'), 1_000)).toBeUndefined();
  });
});
