import { describe, expect, it } from '@jest/globals';
import type { Hold, Look } from '../record.js';
import { stillborn, unawareOf } from './awareness.js';

function look(at: number, more: Partial<Look> = {}): Look {
  return { id: 'client 1.1/1', at, latest: 100, left: 0, aborted: true, ...more };
}

describe('unawareOf', () => {
  it('finds a holder that believes in its lock after the end of its validity', () => {
    const found = look(150, { left: 20, aborted: false });
    expect(unawareOf([found])).toEqual([found]);
  });

  it('finds one whose signal has not aborted although the lock is over', () => {
    const found = look(150, { aborted: false });
    expect(unawareOf([found])).toEqual([found]);
  });

  it('is content with one that knows, before and after the end', () => {
    expect(unawareOf([look(50, { left: 50, aborted: false }), look(150), look(50)])).toEqual([]);
  });
});

describe('stillborn', () => {
  const hold: Hold = {
    id: 'client 1.1/1',
    client: 'client 1.1',
    resource: 'a',
    token: 1,
    from: 10,
    to: 10,
    until: 10,
    lost: undefined,
  };

  it('finds what was over when it came, and nothing that was given back at once', () => {
    expect(stillborn([hold, { ...hold, until: 20 }])).toEqual([hold]);
  });
});
