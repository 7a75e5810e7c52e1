import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { aesGcm } from 'nestjs-redlock/idempotency';
import { keepable, type Outcome, readRecord, toRecord } from '../../../lib/idempotency/record.js';

const reply = {
  kind: 'reply',
  by: 'value',
  status: 201,
  headers: [['location', '/users/1']],
  body: { id: 1 },
} as const;
const [k1, k2] = [randomBytes(32), randomBytes(32)];

describe('a record', () => {
  it.each<Outcome>([
    reply,
    { kind: 'reply', by: 'value', body: undefined },
    { kind: 'error', status: 409, response: { message: 'taken' } },
    { kind: 'tombstone', why: 'stream', headers: [['etag', '"1"']] },
  ])('is read as it was written: %j', (outcome) => {
    expect(readRecord(toRecord(outcome, 'a', undefined), 'a', undefined)).toEqual(JSON.parse(JSON.stringify(outcome)));
  });

  it('is a tombstone in place of what is too large, or no JSON can carry', () => {
    expect(keepable({ ...reply, body: 'é'.repeat(60) }, 100)).toMatchObject({ kind: 'tombstone', why: 'size' });
    expect(keepable({ ...reply, body: 'é'.repeat(10) }, 200)).toMatchObject({ kind: 'reply' });
    expect(keepable({ ...reply, body: 1n }, 200)).toEqual({
      kind: 'tombstone',
      why: 'value',
      headers: [['location', '/users/1']],
    });
  });

  it.each(['', '{', '{}', '{"v":2,"o":{"kind":"reply"}}', '{"v":1,"o":{"kind":"song"}}', '{"v":1,"s":"k1.x"}', 'null'])(
    'is unreadable, and never none: %s',
    (text) => {
      expect(() => readRecord(text, 'a', undefined)).toThrow();
    },
  );
});

describe('a sealed record', () => {
  const old = aesGcm({ current: 'k1', keys: { k1 } });
  const rotated = aesGcm({ current: 'k2', keys: { k1, k2 } });

  it('shows nothing of the reply, and is never the same twice', () => {
    const [one, other] = [toRecord(reply, 'a', old), toRecord(reply, 'a', old)];
    expect(one).not.toContain('users');
    expect(one).not.toBe(other);
    expect(readRecord(one, 'a', old)).toEqual(reply);
  });

  it('opens after a rotation of keys, and not once its key is gone', () => {
    const record = toRecord(reply, 'a', old);
    expect(readRecord(record, 'a', rotated)).toEqual(reply);
    expect(toRecord(reply, 'a', rotated)).toContain('"k2.');
    expect(() => readRecord(record, 'a', aesGcm({ current: 'k2', keys: { k2 } }))).toThrow();
  });

  it('does not open under another key, without encryption, or with a changed byte', () => {
    const record = toRecord(reply, 'user:1', old);
    const middle = record.length >> 1;
    const changed = record.slice(0, middle) + (record[middle] === 'A' ? 'B' : 'A') + record.slice(middle + 1);
    for (const [text, key, encryption] of [
      [record, 'user:2', old],
      [record, 'user:1', undefined],
      [changed, 'user:1', old],
      [toRecord(reply, 'user:1', undefined), 'user:1', old],
    ] as const)
      expect(() => readRecord(text, key, encryption)).toThrow();
  });

  it.each([
    [{ current: 'k1', keys: { k1: k1.subarray(1) } }, 'key "k1" must have 32 bytes; it has 31'],
    [{ current: 'k3', keys: { k1 } }, 'there is no key "k3"'],
    [{ current: 'constructor', keys: { k1 } }, 'there is no key "constructor"'],
    [{ current: 'a.b', keys: { 'a.b': k1 } }, 'must not contain a dot'],
  ])('refuses wrong keys', (options, message) => {
    expect(() => aesGcm(options as Parameters<typeof aesGcm>[0])).toThrow(message);
  });
});
