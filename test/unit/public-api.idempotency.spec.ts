import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import * as idempotency from '../../lib/idempotency/index.js';
import type { OnceMessage, OnceOutcome } from '../../lib/index.js';

describe('the public surface of nestjs-redlock/idempotency', () => {
  it('is this, and nothing more', () => {
    expect(Object.keys(idempotency).sort()).toEqual([
      'CurrentCall',
      'Idempotency',
      'IdempotencyError',
      'IdempotencyExceptionFilter',
      'Idempotent',
      'InjectIdempotency',
      'RedlockIdempotencyModule',
      'aesGcm',
      'getIdempotencyToken',
      'memoryStore',
      'nodesStore',
      'postgresReplyTable',
      'postgresStore',
    ]);
  });

  // The types are checked by the compiler (npm run typecheck).
  it('has these outcomes on its channel', () => {
    expectTypeOf<OnceOutcome>().toEqualTypeOf<
      | 'ran'
      | 'unkept'
      | 'replayed'
      | 'waited'
      | 'joined'
      | 'reused'
      | 'in_progress'
      | 'unknown'
      | 'not_kept'
      | 'unreadable'
      | 'unavailable'
      | 'error'
    >();
    expectTypeOf<keyof OnceMessage>().toEqualTypeOf<
      'pool' | 'resources' | 'template' | 'outcome' | 'fencingToken' | 'size' | 'error'
    >();
  });
});
