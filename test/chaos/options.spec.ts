import { describe, expect, it } from '@jest/globals';
import { readOptions, USAGE } from './options.js';

describe('readOptions', () => {
  it('has a minute of everything where nothing is said', () => {
    const options = readOptions([]);
    expect(options).toMatchObject({ duration: 60_000, rounds: 0, restartQuarantine: true, maxTtl: 1_500 });
    expect(options.nemeses.length).toBeGreaterThan(15);
  });

  it('reads what is said', () => {
    const args = ['--minutes', '60', '--nemeses', 'kill-three,flush', '--quarantine', 'off', '--seed', '5'];
    expect(readOptions(args)).toMatchObject({
      duration: 3_600_000,
      nemeses: ['kill-three', 'flush'],
      restartQuarantine: false,
      seed: 5,
    });
    expect(readOptions(['--without', 'flush']).nemeses).not.toContain('flush');
    expect(readOptions(['--no-forgetting']).nemeses).not.toContain('kill-node');
  });

  it.each([
    [['--minutes', 'x'], '--minutes must be a number from 0.1 to 1440; got x'],
    [['--nemeses', 'rain'], '--nemeses: there is no "rain"'],
    [['--quarantine', 'maybe'], '--quarantine must be on or off; got maybe'],
    [['--sabotage', 'all'], '--sabotage: there is no "all"'],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });

  it('tells of every option and every fault', () => {
    expect(USAGE).toContain('--rounds');
    expect(USAGE).toContain('kill-three');
  });
});
