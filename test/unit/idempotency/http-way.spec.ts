import 'reflect-metadata';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConflictException, HttpException, Logger, NotFoundException, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { ResourceLockedError } from '../../../lib/engine/errors.js';
import { exceptionOf, isClientError, keptError } from '../../../lib/idempotency/failure.js';
import { isNeverKept, KEPT_BY_DEFAULT } from '../../../lib/idempotency/http-headers.js';
import { decodeValue, encodeValue, HttpWay } from '../../../lib/idempotency/http-way.js';

/** A response, and the adapter for it. */
class Answer {
  statusCode = 201;
  sent = false;
  readonly headers: Record<string, string | string[]> = {};

  getHeaders = () => ({ ...this.headers });
  removeHeader = (name: string) => delete this.headers[name.toLowerCase()];
  isHeadersSent = () => this.sent;
  status = (_response: unknown, status: number) => (this.statusCode = status);
  setHeader = (_response: unknown, name: string, value: string | string[]) =>
    (this.headers[name.toLowerCase()] = value);
}

describe('HttpWay', () => {
  let answer: Answer;
  const way = (headers: readonly string[] = KEPT_BY_DEFAULT, codec?: never): HttpWay =>
    new HttpWay({ headers: new Set(headers), where: '@Idempotent on Orders.pay', codec }, answer, answer);

  beforeEach(() => {
    answer = new Answer();
  });

  it('keeps the headers of its list that have appeared or changed, and the type of the content', async () => {
    Object.assign(answer.headers, { etag: '"middleware"', link: '<a>', vary: 'Origin' });
    const one = way();
    one.begin();
    Object.assign(answer.headers, { etag: '"1"', location: '/1', 'content-type': 'text/csv', 'x-own': '1', vary: '*' });
    expect(await one.outcomeOf('a,b')).toEqual({
      kind: 'reply',
      by: 'http',
      status: 201,
      headers: [
        ['etag', '"1"'],
        ['location', '/1'],
        ['content-type', 'text/csv'],
      ],
      body: ['text', 'a,b'],
    });
  });

  it('repeats headers with several values', async () => {
    const one = way(['link']);
    one.begin();
    answer.headers['link'] = ['<a>', '<b>'];
    const kept = await one.outcomeOf(null);
    answer = new Answer();
    expect(way().replay(kept)).toBeNull();
    expect(answer.headers).toEqual({ link: ['<a>', '<b>'], 'idempotent-replayed': 'true' });
  });

  it('takes back what its own run has set, if the reply of another one counts', () => {
    answer.headers['etag'] = '"middleware"';
    const one = way();
    one.begin();
    Object.assign(answer.headers, { etag: '"mine"', location: '/mine', 'set-cookie': 'a=1' });
    one.replay({ kind: 'reply', by: 'http', status: 202, headers: [['location', '/theirs']], body: ['json', 1] });
    expect(answer.headers).toEqual({ etag: '"middleware"', location: '/theirs', 'idempotent-replayed': 'true' });
    expect(answer.statusCode).toBe(202);
  });

  it('warns once for each handler of cookies', async () => {
    const lines: unknown[] = [];
    Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (line: unknown) => lines.push(line) });
    const headers = new Set(['etag']);
    for (let call = 0; call < 2; call += 1) {
      const one = new HttpWay({ headers, where: 'here', codec: undefined }, answer, answer);
      one.begin();
      answer.headers['set-cookie'] = [`a=${call}`];
      await one.outcomeOf(1);
    }
    Logger.overrideLogger(false);
    expect(lines).toEqual([expect.stringContaining('cookie')]);
  });

  it('begins a second run of a request without the headers of the first one', async () => {
    answer.headers['etag'] = '"middleware"';
    const one = way();
    one.begin();
    Object.assign(answer.headers, { etag: '"1"', location: '/1' });
    one.begin();
    expect(answer.headers).toEqual({ etag: '"middleware"' });
    answer.headers['etag'] = '"1"';
    expect(await one.outcomeOf('a')).toMatchObject({ headers: [['etag', '"1"']] });
  });

  it('keeps only headers of an answer that has left by itself', async () => {
    const one = way();
    one.begin();
    answer.headers['location'] = '/1';
    answer.sent = true;
    expect(await one.outcomeOf({})).toEqual({ kind: 'tombstone', why: 'early', headers: [['location', '/1']] });
  });

  it('refuses a reply that another codec has kept', () => {
    expect(() => way().replay({ kind: 'reply', by: 'codec', body: 7 })).toThrow('another codec');
    expect(() => way().replay({ kind: 'reply', by: 'value', body: 7 })).toThrow('another codec');
  });

  it('keeps by a codec that takes its time, and what it cannot carry leaves a tombstone', async () => {
    const codec = { encode: async (value: unknown) => (value as { id: number }).id, decode: (id: unknown) => ({ id }) };
    const byCodec = new HttpWay({ headers: new Set(), where: 'here', codec }, answer, answer);
    const kept = await byCodec.outcomeOf({ id: 7, secret: 1 });
    expect(kept).toMatchObject({ by: 'codec', body: 7 });
    expect(byCodec.replay(kept)).toEqual({ id: 7 });
    expect(await byCodec.outcomeOf(null)).toMatchObject({ kind: 'tombstone', why: 'value' });
  });
});

describe('encodeValue', () => {
  it.each([
    [undefined],
    [null],
    [''],
    ['a'],
    [0],
    [false],
    [{ a: [1, { b: null }] }],
    [Buffer.from('a')],
    [new Uint8Array([1])],
  ])('keeps %j', (value) => {
    const kept = encodeValue(value) as { body: unknown };
    const body: unknown = kept.body === undefined ? undefined : JSON.parse(JSON.stringify(kept.body));
    expect(decodeValue(body)).toStrictEqual(value);
  });

  it('keeps what JSON makes of a value', () => {
    expect(encodeValue({ at: new Date(0), none: undefined })).toEqual({
      body: ['json', { at: '1970-01-01T00:00:00.000Z' }],
    });
  });

  it.each<[string, object]>([
    ['a date', new Date(0)],
    ['a date that is none', new Date(Number.NaN)],
    ['a URL', new URL('https://example.org/a')],
    ['an object that is a number in JSON', { toJSON: () => 7 }],
  ])('gives an object back for %s, with the same JSON', (_case, value) => {
    const { body } = encodeValue(value) as { body: unknown };
    const again = decodeValue(JSON.parse(JSON.stringify(body)));
    expect(typeof again).toBe('object');
    expect(again).not.toBeNull();
    expect(JSON.stringify(again)).toBe(JSON.stringify(value));
  });

  it('reads the text that older releases have kept for a date', () => {
    expect(decodeValue(['json', '1970-01-01T00:00:00.000Z'])).toBe('1970-01-01T00:00:00.000Z');
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  it.each<[string, unknown, string]>([
    ['a file', new StreamableFile(Buffer.of()), 'stream'],
    ['a stream', Readable.from([]), 'stream'],
    ['a web stream', new ReadableStream(), 'stream'],
    ['a web response', new Response(), 'stream'],
    ['an iterable', (async function* () {})(), 'stream'],
    ['a big integer', { a: 1n }, 'value'],
    ['a circle', circle, 'value'],
    ['a function', () => undefined, 'value'],
  ])('does not keep %s', (_case, value, why) => {
    expect(encodeValue(value)).toEqual({ why });
  });
});

describe('keptError', () => {
  it.each<[string, unknown]>([
    ['an error that is no HttpException', new Error('no')],
    ['a status of the server', new HttpException('no', 503)],
    ['a status that says try again', new HttpException('no', 429)],
    ['the refusal of a lock', new ConflictException('no', { cause: new ResourceLockedError(['a'], 1, []) })],
    ['what JSON cannot carry', new NotFoundException({ a: 1n })],
  ])('keeps nothing of %s', (_case, error) => {
    expect(keptError(error, isClientError)).toBeUndefined();
  });

  it("is rebuilt as Nest's own exception of that status, with the same response", () => {
    for (const error of [
      new NotFoundException('gone'),
      new HttpException('teapot', 418),
      new HttpException({ a: 1 }, 499),
    ]) {
      const kept = keptError(error, isClientError)!;
      const again = exceptionOf((kept as { status: number }).status, (kept as { response: unknown }).response);
      expect(again.getResponse()).toEqual(error.getResponse());
      expect(again.getStatus()).toBe(error.getStatus());
      expect(again).toBeInstanceOf(error.constructor);
    }
  });
});

describe('isNeverKept', () => {
  it('is for what belongs to one request', () => {
    expect(['set-cookie', 'x-ratelimit-limit', 'ratelimit', 'x-request-id'].every(isNeverKept)).toBe(true);
    expect(KEPT_BY_DEFAULT.some(isNeverKept)).toBe(false);
  });
});
