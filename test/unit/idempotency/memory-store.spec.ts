import { describe, expect, it } from '@jest/globals';
import { type Attempt, memoryStore } from 'nestjs-redlock/idempotency';

const attempt = (token: number): Attempt => ({ token, owner: `owner-${token}`, fingerprint: null });
const KEEP = 1_000;

describe('memoryStore', () => {
  it('keeps a settled record as it is, whoever settles next without an answer', async () => {
    const store = memoryStore();
    expect(await store.settle('a', attempt(1), 'first', KEEP)).toBe('settled');
    expect(await store.settle('a', attempt(2), 'second', KEEP)).toBe('superseded');
    expect(await store.settle('a', attempt(1), 'first', KEEP)).toBe('settled');
    expect(await store.peek('a')).toMatchObject({ kind: 'kept', kept: { record: 'first' } });
  });

  it('keeps nothing of an attempt that was cleared, and lists only what is there', async () => {
    const store = memoryStore();
    for (const key of ['a', 'b', 'c']) await store.open(key, attempt(1), KEEP);
    await store.clear('a', attempt(1));
    const listed: string[] = [];
    for await (const { key } of store.list('*', 10)) {
      listed.push(key);
      await store.forget('c');
    }
    expect(listed).toEqual(['b']);
    expect(await store.open('a', attempt(0), KEEP)).toEqual({ kind: 'new' });
  });
});
