import { describe, expect, it } from '@jest/globals';
import { ConflictException, HttpException } from '@nestjs/common';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  RedlockClosedError,
  RedlockError,
  ResourceLockedError,
} from '../../../../lib/engine/errors.js';
import { toHttpException, type HttpResponse } from '../../../../lib/with-lock/transport/handler-call.js';

const NODES = [{ node: 'redis://10.0.0.1:6379', outcome: 'unknown', detail: 'ECONNREFUSED' }] as const;

function replyTo(error: unknown): { reply: unknown; headers: [string, string][] } {
  const headers: [string, string][] = [];
  const reply = toHttpException(error, { header: (name, value) => headers.push([name, value]) });
  return { reply, headers };
}

describe('toHttpException', () => {
  it.each([
    [new ResourceLockedError(['user:a@b.c'], 1_500, NODES), 409, 'Conflict'],
    [new QuorumNotReachedError(['user:a@b.c'], NODES, 'too few nodes answered'), 503, 'Service Unavailable'],
    [new RedlockClosedError(), 503, 'Service Unavailable'],
    [new LockKeyError('body.email is missing'), 400, 'Bad Request'],
  ])('answers %s with %i', (error, status, name) => {
    const { reply } = replyTo(error);
    expect(reply).toBeInstanceOf(HttpException);
    expect((reply as HttpException).getStatus()).toBe(status);
    expect((reply as HttpException).getResponse()).toEqual({
      statusCode: status,
      error: name,
      message: expect.stringMatching(/\w/),
      code: error.code,
    });
    expect((reply as HttpException).cause).toBe(error);
  });

  it('tells the client neither resources nor nodes', () => {
    for (const error of [
      new ResourceLockedError(['user:a@b.c'], 1, NODES),
      new QuorumNotReachedError(['user:a@b.c'], NODES, 'down'),
    ]) {
      const text = JSON.stringify((replyTo(error).reply as HttpException).getResponse());
      expect(text).not.toMatch(/a@b\.c|10\.0\.0\.1|ECONNREFUSED/);
    }
  });

  it('tells the client neither templates nor values of a key', () => {
    const reply = replyTo(new LockKeyError('body.email is missing, so the key user:<body.email> cannot be made')).reply;
    expect(JSON.stringify([(reply as HttpException).getResponse(), (reply as HttpException).message])).not.toMatch(
      /email|user:/,
    );
  });

  it.each([
    [0, '1'],
    [1, '1'],
    [999.5, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [29_400, '30'],
  ])('rounds Retry-After of %d ms up to %s s', (retryAfter, seconds) => {
    expect(replyTo(new ResourceLockedError(['a'], retryAfter, [])).headers).toEqual([['Retry-After', seconds]]);
  });

  it('says at shutdown when to try again', () => {
    expect(replyTo(new RedlockClosedError()).headers).toEqual([['Retry-After', '1']]);
  });

  it('says one second where nobody knows when there will be a quorum', () => {
    expect(replyTo(new QuorumNotReachedError(['a'], [], 'down')).headers).toEqual([['Retry-After', '1']]);
  });

  it('promises no time for a key that never expires', () => {
    expect(replyTo(new ResourceLockedError(['a'], Infinity, [])).headers).toEqual([]);
  });

  it('does without the header where the head of the answer is on its way already, as with server-sent events', () => {
    const header = (): never => {
      throw new Error('Cannot set headers after they are sent to the client');
    };
    const response = { header, headersSent: true, raw: { headersSent: true } } as unknown as HttpResponse;
    expect(toHttpException(new ResourceLockedError(['a'], 5, []), response)).toMatchObject({ status: 409 });
  });

  it('sets no header on any other reply', () => {
    expect(replyTo(new LockKeyError('missing')).headers).toEqual([]);
  });

  it.each([
    new ConflictException('mine'),
    new LockLostError(['a'], 'nodes', 'gone'),
    new RedlockError('NO_SERVICE', [], 'no service'),
    new Error('business'),
    Object.assign(new Error('ours has none'), { code: 'ECONNREFUSED' }),
    'text',
    null,
    undefined,
    { code: 'RESOURCE_LOCKED' },
    Object.assign(new Error('mine'), { code: 'RESOURCE_LOCKED', resources: ['a'], retryAfter: 5 }),
    Object.assign(new Error('mine'), { code: 'CLOSED', name: 'RedlockClosedError' }),
  ])('leaves anything else as it is: %s', (error) => {
    expect(replyTo(error)).toEqual({ reply: error, headers: [] });
    expect(replyTo(error).reply).toBe(error);
  });

  it('knows errors of another copy of the package', async () => {
    // The same file by another address is a module of its own.
    const address = '../../../../lib/engine/errors.ts?copy';
    const copy = (await import(address)) as { ResourceLockedError: typeof ResourceLockedError };
    const error = new copy.ResourceLockedError(['a'], 2_500, []);
    expect(copy.ResourceLockedError).not.toBe(ResourceLockedError);
    expect(error).toBeInstanceOf(RedlockError);
    expect(error).toBeInstanceOf(ResourceLockedError);
    expect(error).not.toBeInstanceOf(LockKeyError);
    const { reply, headers } = replyTo(error);
    expect((reply as HttpException).getStatus()).toBe(409);
    expect(headers).toEqual([['Retry-After', '3']]);
  });
});
