import { describe, expect, it } from '@jest/globals';
import { AddressHistory } from '../../../../lib/redis/trust/address-history.js';

const at = (monotonic: number) => ({ monotonic, wall: 1_000_000 + monotonic });
/** The clock of the server is 500 to 510 ms ahead of ours. */
const AHEAD = { least: 500, most: 510 };
const NOW = 9_000;

describe('AddressHistory', () => {
  const historyOf = (...answers: readonly string[]): AddressHistory => {
    const history = new AddressHistory();
    answers.forEach((answer, index) => history.note('abc', answer, at(1_000 * (index + 1))));
    return history;
  };

  it.each(['granted', 'held', 'extended'])('keeps another server out since it was last told "%s"', (answer) => {
    expect(historyOf('held', answer).outSince({ run: 'def', since: undefined }, AHEAD, NOW)).toBe(2_000);
  });

  it.each(['quarantined', 'unknown', 'missing', 'taken', 'gone', 'released', 'raised', 'passed', 'kept'])(
    'does not conclude from "%s" that locks rest on the server',
    (answer) => {
      const other = { run: 'def', since: undefined };
      expect(historyOf(answer).outSince(other, AHEAD, NOW)).toBeUndefined();
      expect(historyOf('granted', answer).outSince(other, AHEAD, NOW)).toBe(1_000);
    },
  );

  it('keeps the server that it knows, and one that does not say which it is, out of nothing', () => {
    const history = historyOf('granted');
    expect(history.outSince({ run: 'abc', since: 0 }, AHEAD, NOW)).toBeUndefined();
    expect(history.outSince({ run: undefined, since: 0 }, AHEAD, NOW)).toBeUndefined();
  });

  it('keeps a server out since now that was elsewhere when it was last told', () => {
    expect(historyOf('granted').outSince({ run: 'def', since: 1_499 }, AHEAD, NOW)).toBe(NOW);
  });

  it.each([
    ['came later', 1_511, AHEAD],
    ['may have come later', 1_500, AHEAD],
    ['has not said what time it has', 0, undefined],
  ])('takes nothing else into account of a server that %s', (_case, since, ahead) => {
    expect(historyOf('granted').outSince({ run: 'def', since }, ahead, NOW)).toBe(1_000);
  });

  it('goes by the latest server', () => {
    const history = historyOf('granted');
    history.note('def', 'granted', at(3_000));
    expect(history.outSince({ run: 'abc', since: undefined }, AHEAD, NOW)).toBe(3_000);
    expect(history.outSince({ run: 'def', since: undefined }, AHEAD, NOW)).toBeUndefined();
  });
});
