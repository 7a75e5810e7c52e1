import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { canonicalJson, fingerprintOf, handlerFingerprint } from '../../../lib/idempotency/fingerprint.js';
import { HTTP } from '../../../lib/with-lock/key/key-roots.js';
import { compileKey } from '../../../lib/with-lock/key/lock-key.js';

const equal = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

describe('canonicalJson', () => {
  it('is the same for properties in any order, at any depth', () => {
    expect(equal({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: 4 } }, { b: { f: 4, c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(
      true,
    );
    expect(equal(Object.assign(Object.create(null) as object, { b: 1, a: 2 }), { a: 2, b: 1 })).toBe(true);
  });

  it.each<[unknown, unknown]>([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: '1' }, { a: 1 }],
    [{ a: 1n }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: 'b,c' }, { a: ['b', 'c'] }],
    [JSON.parse('{"__proto__":{"a":1}}'), {}],
    [Buffer.from('a'), Buffer.from('b')],
    [new Map([[1, 2]]), new Map([[1, 3]])],
    [undefined, 'undefined'],
  ])('tells %j from %j', (one, other) => {
    expect(equal(one, other)).toBe(false);
  });
});

describe('fingerprintOf', () => {
  it('is salted with the key, so that equal requests under two keys do not look equal', () => {
    expect(fingerprintOf({ a: 1 }, 'k1', undefined)).toBe(fingerprintOf({ a: 1 }, 'k1', undefined));
    expect(fingerprintOf({ a: 1 }, 'k1', undefined)).not.toBe(fingerprintOf({ a: 1 }, 'k2', undefined));
  });

  it('depends on the secret', () => {
    const prints = [undefined, 'one', 'two'].map((secret) => fingerprintOf({ password: 'x' }, 'k', secret));
    expect(new Set(prints).size).toBe(3);
    for (const print of prints) expect(print).toMatch(/^[\w-]{43}$/);
  });
});

describe('handlerFingerprint', () => {
  class Orders {
    pay(): void {}
  }
  const context = new ExecutionContextHost([], Orders, Orders.prototype.pay);
  const who = compileKey('<user.id>');
  const printOf = (fingerprint: 'body' | typeof who | (() => unknown), user: object | undefined): string | null => {
    const request = { headers: {}, body: { amount: 1 }, user };
    return handlerFingerprint({ fingerprint, who, secret: undefined }, 'k', { request, kind: HTTP } as never, context);
  };

  it.each([
    ['the body', 'body' as const],
    ['a template', compileKey('<body.amount>')],
    ['a function', () => 1],
  ])('tells users apart by %s, and those who have signed in from nobody', (_case, fingerprint) => {
    const users = [{ id: 'ann' }, { id: 'bob' }, undefined];
    expect(new Set(users.map((user) => printOf(fingerprint, user))).size).toBe(3);
    expect(printOf(fingerprint, { id: 'ann' })).toBe(printOf(fingerprint, { id: 'ann' }));
  });
});
