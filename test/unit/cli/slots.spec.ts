import { describe, expect, it } from '@jest/globals';
import type { LockView } from '../../../lib/cli/locks/lock-view.js';
import { lockTable } from '../../../lib/cli/commands/ls.js';
import { allSlotsOf, groupsOf, heldSlotsIn } from '../../../lib/cli/locks/list-locks.js';

const lock = (resource: string, more: Partial<LockView> = {}): LockView => ({
  resource,
  kind: 'a lock',
  value: 'one@web#7:a.1',
  holder: { mark: 'one@web#7', application: 'one', host: 'web', pid: 7 },
  votes: 1,
  held: true,
  nodes: [],
  waiters: [],
  ...more,
});
const NOT_HELD = { kind: 'free, with a queue', value: undefined, holder: undefined, votes: 0, held: false };

/** What stands above the rows of each group, and the rows. */
const told = (...locks: LockView[]): string[] =>
  groupsOf(locks).flatMap((group) => [
    ...[heldSlotsIn(group)].flatMap((text) => (text === undefined ? [] : [`${group.name}: ${text}`])),
    ...group.locks.map(({ resource }) => resource),
  ]);

describe('the slots of one resource', () => {
  it('have the names that their holders use, and a gate', () => {
    const names = allSlotsOf('export');
    expect([names.length, names[0], names[63], names[64]]).toEqual([65, 'export~0', 'export~63', 'export~all']);
  });

  it('stand together below their resource, by their numbers, also where other names are in between', () => {
    const names = ['a~0', 'a~10', 'a~2', 'a~2:x', 'a~all', 'b'];
    expect(told(...names.map((name) => lock(name)))).toEqual([
      'a: 3 slots held (0, 2, 10)',
      'a~0',
      'a~2',
      'a~10',
      'a~all',
      'a~2:x',
      'b',
    ]);
  });

  it('count while they are held, or may be', () => {
    expect(told(lock('a~0'), lock('a~1', NOT_HELD))).toEqual(['a: 1 slot held (0)', 'a~0', 'a~1']);
    expect(told(lock('a~0', { held: null }), lock('a~1'))).toEqual(['a: 2 slots held (0, 1)', 'a~0', 'a~1']);
    expect(told(lock('a~0', NOT_HELD), lock('a~1', NOT_HELD))).toEqual(['a~0', 'a~1']);
  });

  it('need no line of their own for one row, and are apart from a lock without a limit', () => {
    expect(told(lock('a~0'))).toEqual(['a~0']);
    expect(told(lock('a'), lock('a~0'), lock('a~'), lock('7'))).toEqual(['a', 'a~0', 'a~', '7']);
  });

  it('are a paragraph where the terminal is narrow', () => {
    const text = lockTable([lock('a~0'), lock('a~1')], [], 60);
    expect(text.split('\n').slice(0, 3)).toEqual(['a', '  HOLDER: 2 slots held (0, 1)', 'a~0']);
  });
});
