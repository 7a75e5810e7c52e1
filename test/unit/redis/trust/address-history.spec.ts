import { describe, expect, it } from '@jest/globals';
import { AddressHistory, type Arrival, type Verdict } from '../../../../lib/redis/trust/address-history.js';

const MAX_TTL = 1_000;
/** The clock of each server is 500 to 510 ms ahead of ours. */
const AHEAD = { least: 500, most: 510 };
const at = (monotonic: number) => ({ monotonic, wall: 1_000_000 + monotonic });

/** A server that by its marker has been a node since then, ms on its clock. */
const known = (run: string, since: number) => ({ run, since });
const fresh = (run: string) => ({ run, since: undefined });

/** One address, and the client to which it leads somewhere. */
class Address {
  readonly history = new AddressHistory(MAX_TTL);

  /** Returns whether the server may vote to which the address leads from now on. */
  leadTo(server: Omit<Arrival, 'asked'>, now: number, ahead = AHEAD): Verdict {
    this.history.arrive({ ...server, asked: now });
    return this.history.judge(ahead);
  }
}

/** An address that leads to a server from 1,000 on, which has answered so, ten times a second after 1,200. */
function addressOf(server: Omit<Arrival, 'asked'>, ...answers: readonly string[]): Address {
  const address = new Address();
  expect(address.leadTo(server, 1_000)).toBe('may vote');
  answers.forEach((answer, index) => address.history.note(answer, at(1_200 + 100 * index)));
  return address;
}

const OLD = known('def', 0);

describe('AddressHistory, of a server that was a node elsewhere,', () => {
  it.each(['granted', 'held', 'extended'])('keeps it out where the one before it has said "%s"', (answer) => {
    expect(addressOf(fresh('abc'), answer).leadTo(OLD, 1_900)).toBe('has to wait');
  });

  it.each(['quarantined', 'unknown', 'missing', 'taken', 'gone', 'released', 'raised', 'passed', 'kept'])(
    'does not conclude from "%s" that the one before it could vote',
    (answer) => expect(addressOf(fresh('abc'), answer).leadTo(OLD, 1_900)).toBe('may vote'),
  );

  it('goes by any other answer once it could vote', () => {
    const latest = (answer: string): Verdict => {
      const { history } = addressOf(known('abc', 0), 'granted');
      history.note(answer, at(1_700));
      // It became a node at about 1,500, in between.
      history.arrive({ ...known('def', 2_005), asked: 1_900 });
      return history.judge(AHEAD);
    };
    for (const answer of ['missing', 'gone', 'released', 'held']) expect(latest(answer)).toBe('has to wait');
    for (const answer of ['unknown', 'quarantined']) expect(latest(answer)).toBe('may vote');
  });

  it('keeps it out where the one before it could vote for others: since it came, or after maxTtl', () => {
    expect(addressOf(known('abc', 0)).leadTo(OLD, 1_900)).toBe('has to wait');
    expect(addressOf(fresh('abc')).leadTo(OLD, 1_999)).toBe('may vote');
    expect(addressOf(fresh('abc')).leadTo(OLD, 2_000)).toBe('has to wait');
    expect(addressOf(known('abc', 1_010)).leadTo(OLD, 1_499)).toBe('may vote');
    expect(addressOf(known('abc', 1_010)).leadTo(OLD, 1_500)).toBe('has to wait');
  });

  it.each([
    ['has a marker from the future', 90_000],
    ['has a marker that cannot be read', -Infinity],
  ])('takes one before it that %s for one that votes after maxTtl at the latest', (_case, since) => {
    expect(addressOf(known('abc', since)).leadTo(OLD, 2_000)).toBe('has to wait');
  });

  it('takes one before it for a voter at once while its time is not known', () => {
    const { history } = new Address();
    history.arrive({ ...known('abc', 1_490), asked: 1_000 });
    history.arrive({ ...OLD, asked: 1_100 });
    expect(history.judge(AHEAD)).toBe('has to wait');
  });

  it('keeps out one whose marker cannot be read', () => {
    expect(addressOf(fresh('abc'), 'granted').leadTo(known('def', -Infinity), 1_900)).toBe('has to wait');
  });

  it.each<[string, number, Verdict]>([
    ['is one since long', 1_699, 'has to wait'],
    ['became one about when the other one voted last', 1_700, 'unsure'],
    ['became one about when the other one voted last', 1_709, 'unsure'],
    ['became one later, as after a restart', 1_710, 'may vote'],
  ])('goes by when it became one: it %s (%i)', (_case, since, expected) => {
    expect(addressOf(fresh('abc'), 'granted').leadTo(known('def', since), 1_900)).toBe(expected);
  });

  it('is unsure once only: then it knows more of its clock, or has the server wait', () => {
    for (const [least, most, expected] of [
      [500, 502, 'may vote'],
      [506, 510, 'has to wait'],
      [500, 510, 'has to wait'],
    ] as const) {
      const address = addressOf(fresh('abc'), 'granted');
      expect(address.leadTo(known('def', 1_704), 1_900)).toBe('unsure');
      expect(address.history.judge({ least, most })).toBe(expected);
      expect(address.leadTo(known('ghi', 1_704), 1_950)).toBe('unsure');
    }
  });
});

describe('AddressHistory', () => {
  it('keeps no server out that is new to locks, nor one that does not say which it is', () => {
    expect(addressOf(known('abc', 0), 'granted').leadTo(fresh('def'), 1_900)).toBe('may vote');
    expect(addressOf(known('abc', 0), 'granted').leadTo({ run: undefined, since: 0 }, 1_900)).toBe('may vote');
  });

  it('keeps no server out that comes back before another one could vote', () => {
    const address = addressOf(known('abc', 0), 'granted');
    address.leadTo(fresh('def'), 1_500);
    expect(address.leadTo(known('abc', 0), 2_499)).toBe('may vote');
  });

  it('keeps a server out that comes back after another one could vote', () => {
    const address = addressOf(known('abc', 0), 'granted');
    address.leadTo(fresh('def'), 1_500);
    expect(address.leadTo(known('abc', 0), 2_500)).toBe('has to wait');
  });

  it('keeps a server out that comes back after one that others may have told too late not to vote', () => {
    const address = addressOf(known('abc', 0), 'granted');
    expect(address.leadTo(OLD, 1_500)).toBe('has to wait');
    expect(address.leadTo(known('abc', 0), 1_600)).toBe('has to wait');
  });

  it('remembers the voter behind several servers, one after the other, that cannot vote yet', () => {
    const address = addressOf(known('abc', 0), 'granted');
    for (const run of ['ghi', 'jkl', 'mno']) address.leadTo(fresh(run), 1_500);
    expect(address.leadTo(OLD, 1_600)).toBe('has to wait');
  });

  it('goes on knowing when a server can vote, whatever the next connection to it tells', () => {
    const address = addressOf(known('abc', 0), 'granted');
    address.leadTo(fresh('def'), 1_500);
    address.history.arrive({ ...known('def', 2_000), asked: 1_600 });
    expect(address.leadTo(known('abc', 0), 1_700)).toBe('may vote');
  });

  it('takes nothing for an answer of the server before where the present one does not say which it is', () => {
    const address = addressOf(known('abc', 0), 'granted');
    address.leadTo({ run: undefined, since: undefined }, 1_500);
    address.history.note('granted', at(1_700));
    expect(address.leadTo(known('def', 2_100), 1_900)).toBe('may vote');
  });

  it('takes the same arrival for one, and no answer for one of no server', () => {
    const { history } = new Address();
    history.note('granted', at(500));
    const server = { ...known('abc', 0), asked: 1_000 };
    history.arrive(server);
    history.arrive(server);
    expect(history.judge(AHEAD)).toBe('may vote');
  });
});
