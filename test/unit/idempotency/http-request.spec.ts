import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Version, type ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Readable } from 'node:stream';
import { canonicalJson } from '../../../lib/idempotency/fingerprint.js';
import { contentOf, hasUnknownBody, type HttpRequest, routeOf } from '../../../lib/idempotency/http-request.js';

class Orders {
  pay(): void {}

  @Version('2')
  payAnew(): void {}
}

const contextOf = (method: () => void): ExecutionContext => new ExecutionContextHost([], Orders, method);
const context = contextOf(Orders.prototype.pay);

function request(headers: Record<string, string>, body?: unknown): HttpRequest {
  return { method: 'POST', route: { path: '/orders' }, params: {}, query: {}, headers, body };
}

const content = (headers: Record<string, string>, body?: unknown): string =>
  canonicalJson(contentOf(request(headers, body), context));

describe('routeOf', () => {
  it('is the pattern, with the version', () => {
    expect(routeOf(request({}), context)).toBe('POST /orders');
    expect(routeOf(request({}), contextOf(Orders.prototype.payAnew))).toBe('POST /orders (version 2)');
  });
});

describe('contentOf', () => {
  const json = { 'content-type': 'application/json', 'content-length': '9' };
  const form = (boundary: string, more = {}) => ({
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': '900',
    ...more,
  });

  it('tells bodies apart, and is the same whatever their text is like', () => {
    expect(content(json, { a: 1, b: 2 })).toBe(content({ ...json, 'content-length': '20' }, { b: 2, a: 1 }));
    expect(content(json, { a: 1 })).not.toBe(content(json, { a: 2 }));
    expect(content(json, [])).not.toBe(content(json, {}));
  });

  it('tells routes, parameters and queries apart', () => {
    const all = [{}, { method: 'PUT' }, { route: { path: '/x' } }, { params: { id: 1 } }, { query: { q: 1 } }].map(
      (over) => canonicalJson(contentOf({ ...request({}), ...over }, context)),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it('takes the digest of a form, or its length and type without the boundary', () => {
    expect(content(form('a'))).toBe(content(form('b')));
    expect(content(form('a', { 'content-length': '901' }))).not.toBe(content(form('a')));
    const digest = (hash: string) => form('a', { 'content-digest': `sha-256=:${hash}:` });
    expect(content(digest('x'))).not.toBe(content(digest('y')));
  });

  it('takes the headers of a body that nobody has parsed', () => {
    const xml = (length: string) => ({ 'content-type': 'application/xml', 'content-length': length });
    for (const body of [undefined, {}, Readable.from([])])
      expect(content(xml('1'), body)).not.toBe(content(xml('2'), body));
    expect(content(xml('1'), { parsed: 1 })).not.toBe(content(xml('1'), { parsed: 2 }));
    expect(content(xml('1'), '<a/>')).not.toBe(content(xml('1'), '<b/>'));
    expect(content(xml('1'), Buffer.from('<a/>'))).not.toBe(content(xml('1'), Buffer.from('<b/>')));
  });

  it('tells bodies apart whose JSON type the application does not parse', () => {
    const api = (length: string) => ({ 'content-type': 'application/vnd.api+json', 'content-length': length });
    for (const body of [undefined, {}]) expect(content(api('1'), body)).not.toBe(content(api('2'), body));
    expect(content(api('1'), { parsed: 1 })).not.toBe(content(api('1'), { parsed: 2 }));
  });

  it('takes the headers of JSON and of a form if the application has no parser', () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const headers = (length: string) => ({ 'content-type': type, 'content-length': length });
      expect(content(headers('1'))).not.toBe(content(headers('2')));
      expect([request(headers('1')), request(headers('0'))].map(hasUnknownBody)).toEqual([true, false]);
    }
    // The JSON text `null`.
    expect(hasUnknownBody(request(json, null))).toBe(false);
  });

  it('knows which bodies it cannot compare', () => {
    expect(
      [request(form('a')), request(form('a', { 'content-digest': 'x' })), request(json, {})].map(hasUnknownBody),
    ).toEqual([true, false, false]);
  });

  it('knows a request without a body', () => {
    expect(content({})).toBe(content({ 'content-length': '0' }));
  });
});
