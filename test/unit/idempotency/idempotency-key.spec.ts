import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { HttpRequest } from '../../../lib/idempotency/http-request.js';
import { headerOf, keyOfCall, keyOfSource, type KeyPlan } from '../../../lib/idempotency/idempotency-key.js';
import { GRAPHQL, HTTP, RPC } from '../../../lib/with-lock/key/key-roots.js';
import { compileKey } from '../../../lib/with-lock/key/lock-key.js';

class Orders {
  pay(): void {}
}

const context: ExecutionContext = new ExecutionContextHost([], Orders, Orders.prototype.pay);

const lines = (...values: string[]): HttpRequest => ({
  headers: {},
  rawHeaders: ['Host', 'example.org', ...values.flatMap((value) => ['Idempotency-Key', value])],
});

describe('headerOf', () => {
  it.each<[string, HttpRequest, string | undefined]>([
    ['none', lines(), undefined],
    ['a text', lines('k1'), 'k1'],
    ['a quoted text', lines('"k1"'), 'k1'],
    ['quotes within quotes', lines(String.raw`"a\"b\\c"`), String.raw`a"b\c`],
    ['one quote only', lines('"k1'), '"k1'],
    ['equal lines', lines('k1', '"k1"'), 'k1'],
    ['a comma', lines('k1, k2'), 'k1, k2'],
    ['255 bytes', lines('k'.repeat(255)), 'k'.repeat(255)],
    ['Fastify', { headers: {}, raw: { rawHeaders: ['idempotency-key', 'k1'] } }, 'k1'],
    ['no raw headers', { headers: { 'idempotency-key': 'k1' } }, 'k1'],
  ])('reads %s', (_case, request, expected) => {
    expect(headerOf(request)).toBe(expected);
  });

  it.each<[string, HttpRequest]>([
    ['an empty text', lines('')],
    ['empty quotes', lines('""')],
    ['256 bytes', lines('k'.repeat(256))],
    ['a line break', lines('a\nb')],
    ['a tab', lines('a\tb')],
    ['a character beyond ASCII', lines('\u00E9')],
    ['two values', lines('k1', 'k2')],
    ['two values in a list', { headers: { 'idempotency-key': ['k1', 'k2'] } }],
  ])('refuses %s', (_case, request) => {
    expect(() => headerOf(request)).toThrow(expect.objectContaining({ code: 'IDEMPOTENCY_KEY_INVALID' }));
  });
});

describe('keyOfCall', () => {
  const parts = (over: Partial<KeyPlan> = {}): KeyPlan => ({
    key: undefined,
    principal: compileKey('<user.id>'),
    required: true,
    ...over,
  });
  const request = (over: object = {}) => ({
    ...lines('k1'),
    method: 'POST',
    route: { path: '/orders/:id/pay' },
    params: { id: '1' },
    user: { id: 'ann' },
    ...over,
  });
  const keyOf = (one: object, over?: Partial<KeyPlan>): string | undefined =>
    keyOfCall(parts(over), { request: one, kind: HTTP }, context);

  it('shows the route, and hashes what is private', () => {
    expect(keyOf(request())).toMatch(/^idem:POST \/orders\/:id\/pay:[\da-f]{64}$/);
  });

  it('is another one for another header, user, parameter, method or route', () => {
    const all = [
      {},
      { rawHeaders: ['idempotency-key', 'k2'] },
      { user: { id: 'bob' } },
      { params: { id: '2' } },
      { method: 'PUT' },
      { route: { path: '/orders/:id/cancel' } },
    ].map((over) => keyOf(request(over)));
    expect(new Set(all).size).toBe(all.length);
    expect(keyOf(request({ routeOptions: { url: '/orders/:id/pay' }, route: undefined }))).toBe(all[0]);
  });

  it('fits whatever the route', () => {
    expect(keyOf(request({ route: { path: `/${'x'.repeat(900)}` } }))!.length).toBeLessThanOrEqual(512);
  });

  it('needs the header unless that is optional', () => {
    const without = request({ rawHeaders: [] });
    expect(() => keyOf(without)).toThrow(expect.objectContaining({ code: 'IDEMPOTENCY_KEY_MISSING' }));
    expect(keyOf(without, { required: false })).toBeUndefined();
    const key = compileKey('pay:<headers.idempotency-key>');
    expect(() => keyOf(without, { key })).toThrow(expect.objectContaining({ code: 'IDEMPOTENCY_KEY_MISSING' }));
  });

  it('fills a template, with the header as it counts, for one principal', () => {
    const key = compileKey('pay:<headers.idempotency-key>');
    const quoted = request({ rawHeaders: ['idempotency-key', '"k1"'] });
    expect(keyOf(quoted, { key, principal: undefined })).toBe('pay:k1');
    expect(keyOf(quoted, { key })).toMatch(/^pay:k1\|by:[\w-]{43}$/);
    expect(keyOf(quoted, { key })).not.toBe(keyOf(request({ user: { id: 'bob' } }), { key }));
  });

  it('fills a template that reads no header as a lock does', () => {
    const key = compileKey('user:<body.email|trim|lower>');
    expect(keyOf({ headers: {}, body: { email: ' A@b.org' } }, { key, principal: undefined })).toBe('user:a@b.org');
    expect(() => keyOf({ headers: {}, body: {} }, { key })).toThrow(expect.objectContaining({ code: 'LOCK_KEY' }));
  });

  it('reads the header of a GraphQL operation, and none of a message', () => {
    const key = compileKey('pay:<headers.idempotency-key>:<args.id>');
    const operation = { args: { id: 7 }, headers: { 'idempotency-key': 'k1' } };
    expect(keyOfCall(parts({ key, principal: undefined }), { request: operation, kind: GRAPHQL }, context)).toBe(
      'pay:k1:7',
    );
    expect(() => keyOfCall(parts(), { request: { data: {} }, kind: RPC }, context)).toThrow(/has no Idempotency-Key/);
  });

  it('hashes a key that principal and template make too long', () => {
    const key = compileKey('user:<0>');
    const long = keyOfSource({ key, principal: compileKey('<1>'), required: true }, { args: ['x'.repeat(500), 'ann'] });
    expect(long).toMatch(/^idem:[\da-f]{64}$/);
  });
});
