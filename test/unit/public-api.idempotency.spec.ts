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
      | 'pool'
      | 'resources'
      | 'template'
      | 'outcome'
      | 'fencingToken'
      | 'size'
      | 'traceparent'
      | 'firstTraceparent'
      | 'error'
    >();
  });

  it('lets once return what a replay can give back, and nothing else', () => {
    class Receipt {
      readonly id = 1;
      print(): string {
        return `${this.id}`;
      }
    }
    const attempts = (calls: idempotency.Idempotency): unknown[] => [
      calls.once('data', async () => ({ at: new Date(0), of: [new Map([['a', 1n]])], none: undefined })),
      calls.once('nothing', async () => undefined),
      // @ts-expect-error -- a function
      calls.once('function', async () => () => 1),
      // @ts-expect-error -- a symbol
      calls.once('symbol', async () => Symbol('no')),
      // @ts-expect-error -- an object with a method
      calls.once('method', async () => ({ id: 1, print: () => 'no' })),
      // @ts-expect-error -- an instance of a class with methods
      calls.once('class', async () => new Receipt()),
      // @ts-expect-error -- a function further inside
      calls.once('inside', async () => ({ list: [{ one: { print: () => 'no' } }] })),
      // @ts-expect-error -- a function in a map
      calls.once('map', async () => new Map([['print', () => 'no']])),
    ];
    expect(attempts).toBeInstanceOf(Function);
    expectTypeOf<idempotency.Idempotency['once']>().returns.toEqualTypeOf<Promise<unknown>>();
    type Data = { readonly at: Date; readonly rows: readonly { id: bigint; bytes: Uint8Array }[] };
    expectTypeOf<idempotency.Keepable<Data>>().toEqualTypeOf<Data>();
    expectTypeOf<idempotency.Keepable<Receipt>['print']>().toBeNever();
  });
});
