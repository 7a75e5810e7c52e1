import { describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import { attributesOf, errorTypeOf, serverOf } from '../../../lib/opentelemetry/attributes.js';

describe('serverOf', () => {
  it.each([
    ['redis://10.0.0.1:6379', { 'server.address': '10.0.0.1', 'server.port': 6379 }],
    ['rediss://redis-1.test:6380/2', { 'server.address': 'redis-1.test', 'server.port': 6380 }],
    ['redis://[::1]:6379', { 'server.address': '::1', 'server.port': 6379 }],
    ['this process', { 'server.address': 'this process' }],
    ['/run/redis.sock', { 'server.address': '/run/redis.sock' }],
    ['node-1', { 'server.address': 'node-1' }],
  ])('reads %s', (node, attributes) => {
    expect(serverOf(node)).toEqual(attributes);
  });
});

describe('attributesOf', () => {
  it('names the pool and the template, unless no resource is to be named', () => {
    const named = { 'redlock.pool': 'billing', 'redlock.resource.template': 'user:<0>' };
    expect(attributesOf({ pool: 'billing', template: 'user:<0>' }, 'template')).toEqual(named);
    expect(attributesOf({ pool: undefined, template: undefined }, 'value')).toEqual({ 'redlock.pool': 'default' });
    expect(attributesOf({ pool: undefined, template: 'user:<0>' }, 'none')).toEqual({ 'redlock.pool': 'default' });
  });
});

describe('errorTypeOf', () => {
  it.each<[unknown, string]>([
    [new LockLostError(['a'], 'ttl', 'gone'), 'LOCK_LOST'],
    [new TypeError('x'), 'TypeError'],
    [undefined, 'Error'],
  ])('is the code of an error, or else its name', (error, type) => {
    expect(errorTypeOf(error)).toBe(type);
  });
});
