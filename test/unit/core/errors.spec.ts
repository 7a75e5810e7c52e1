import { describe, expect, it } from '@jest/globals';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  RedlockClosedError,
  RedlockError,
  ResourceLockedError,
  type NodeOutcome,
} from '../../../lib/core/errors.js';

const nodes: NodeOutcome[] = [
  { node: 'redis://a:1', outcome: 'granted' },
  { node: 'redis://b:2', outcome: 'held', detail: '900 ms left' },
  { node: 'redis://c:3', outcome: 'unknown', detail: 'connection closed' },
];

describe('RedlockError', () => {
  it.each([
    [new ResourceLockedError(['a'], 900, nodes), 'ResourceLockedError', 'RESOURCE_LOCKED'],
    [new QuorumNotReachedError(['a'], nodes, 'too few'), 'QuorumNotReachedError', 'QUORUM_NOT_REACHED'],
    [new LockLostError(['a'], 'its lease ran out'), 'LockLostError', 'LOCK_LOST'],
    [new LockKeyError('no key', ['a']), 'LockKeyError', 'LOCK_KEY'],
    [new RedlockClosedError(), 'RedlockClosedError', 'CLOSED'],
  ])('%s is told by its name and code', (error, name, code) => {
    expect(error).toBeInstanceOf(RedlockError);
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.code]).toEqual([name, code]);
    expect(error.stack).toContain(name);
  });

  it('names the resources', () => {
    expect(new ResourceLockedError(['a', 'b'], 1, []).message).toBe('"a", "b" is locked by another holder');
    expect(new LockLostError(['a', 'b'], 'it was stolen').message).toBe('The lock on "a", "b" was lost: it was stolen');
    expect(new LockLostError(['a', 'b'], 'x').resources).toEqual(['a', 'b']);
  });
});

describe('QuorumNotReachedError', () => {
  it('says what each node said', () => {
    expect(new QuorumNotReachedError(['a'], nodes, 'too few nodes answered').message).toBe(
      'No quorum for "a": too few nodes answered; redis://a:1 granted, redis://b:2 held (900 ms left), ' +
        'redis://c:3 unknown (connection closed)',
    );
  });

  it('says nothing of nodes where there are none', () => {
    expect(new QuorumNotReachedError(['a'], [], 'why').message).toBe('No quorum for "a": why');
  });
});

describe('ResourceLockedError', () => {
  it('carries the ms left and the outcome of each node', () => {
    expect(new ResourceLockedError(['a'], 900, nodes)).toMatchObject({ retryAfter: 900, nodes });
  });
});
