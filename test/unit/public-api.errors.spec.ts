import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';
import * as api from '../../lib/index.js';
import type {
  ExceptionFactory,
  LockLossReason,
  NodeOutcome,
  RedlockErrorCode,
  RedlockModuleOptions,
  WithLockOptions,
} from '../../lib/index.js';

describe('the public surface', () => {
  it('has errors that are told apart by class, name and code', () => {
    const errors = [
      new api.ResourceLockedError(['a'], 5, []),
      new api.QuorumNotReachedError(['a'], [], 'why'),
      new api.LockLostError(['a'], 'nodes', 'why'),
      new api.LockKeyError('why'),
      new api.RedlockClosedError(),
    ];
    expect(errors.map((error) => [error.name, error.code, error instanceof api.RedlockError])).toEqual([
      ['ResourceLockedError', 'RESOURCE_LOCKED', true],
      ['QuorumNotReachedError', 'QUORUM_NOT_REACHED', true],
      ['LockLostError', 'LOCK_LOST', true],
      ['LockKeyError', 'LOCK_KEY', true],
      ['RedlockClosedError', 'CLOSED', true],
    ]);
  });

  it('has these errors', () => {
    expectTypeOf<RedlockErrorCode>().toEqualTypeOf<
      'RESOURCE_LOCKED' | 'QUORUM_NOT_REACHED' | 'LOCK_LOST' | 'LOCK_KEY' | 'CLOSED' | 'NO_SERVICE'
    >();
    expectTypeOf<api.RedlockError['code']>().toEqualTypeOf<RedlockErrorCode>();
    expectTypeOf<LockLossReason>().toEqualTypeOf<'nodes' | 'pause' | 'ttl' | 'max_hold' | 'shutdown' | 'released'>();
    expectTypeOf<api.LockLostError['reason']>().toEqualTypeOf<LockLossReason>();
    expectTypeOf<api.LockLostError['why']>().toEqualTypeOf<string>();
    expectTypeOf<api.ResourceLockedError['retryAfter']>().toEqualTypeOf<number>();
    expectTypeOf<api.QuorumNotReachedError['nodes']>().toEqualTypeOf<readonly NodeOutcome[]>();
    expect(new api.RedlockClosedError()).toBeInstanceOf(Error);
  });

  it('lets users make exceptions of errors', () => {
    expectTypeOf<WithLockOptions['exceptionFactory']>().toEqualTypeOf<ExceptionFactory | undefined>();
    expectTypeOf<RedlockModuleOptions['exceptionFactory']>().toEqualTypeOf<ExceptionFactory | undefined>();
    expectTypeOf<ExceptionFactory>().toEqualTypeOf<
      (error: api.RedlockError, context: ExecutionContext | ArgumentsHost | undefined) => unknown
    >();
    expect(() => api.WithLock('a', { exceptionFactory: (error) => new Error(error.code) })).not.toThrow();
  });
});
