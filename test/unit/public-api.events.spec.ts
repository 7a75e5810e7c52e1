import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { AcquirePath, LockEvent, RedlockErrorCode, RefusalCode, TermEnd } from '../../lib/index.js';

describe('the public surface', () => {
  it('has these events', () => {
    expectTypeOf<LockEvent['type']>().toEqualTypeOf<
      | 'acquired'
      | 'refused'
      | 'contended'
      | 'self-contended'
      | 'skipped'
      | 'joined'
      | 'extended'
      | 'lost'
      | 'released'
      | 'campaigning'
      | 'campaign-ended'
      | 'elected'
      | 'deposed'
      | 'term-failed'
      | 'node-up'
      | 'node-down'
      | 'node-quarantined'
      | 'node-trusted'
      | 'node-refused'
      | 'node-accepted'
      | 'quorum-lost'
      | 'quorum-reached'
      | 'node-warning'
      | 'hand-off-unavailable'
      | 'replayed'
      | 'kept'
      | 'unkept'
      | 'reused'
      | 'interrupted'
      | 'superseded'
      | 'tombstone'
      | 'thin-reply'
      | 'reply-differs'
      | 'unprotected'
      | 'unreadable'
    >();
    expectTypeOf<Extract<LockEvent, { fencingToken: number }>['type']>().toEqualTypeOf<
      'acquired' | 'lost' | 'released'
    >();
    expectTypeOf<TermEnd>().toEqualTypeOf<'resigned' | 'lost' | 'shutdown' | 'failed'>();
    expectTypeOf<AcquirePath>().toEqualTypeOf<'free' | 'hand-off' | 'local'>();
    expectTypeOf<RefusalCode>().toEqualTypeOf<RedlockErrorCode | 'ABORTED' | 'ERROR'>();
    const skipped: LockEvent = { type: 'skipped', resources: ['a'] };
    expect(skipped.type).toBe('skipped');
  });
});
