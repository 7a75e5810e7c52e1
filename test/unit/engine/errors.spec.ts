import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import {
  LockKeyError,
  LockLostError,
  type NodeOutcome,
  QuorumNotReachedError,
  RedlockClosedError,
  RedlockError,
  ResourceLockedError,
  briefly,
} from '../../../lib/engine/errors.js';
import { MemoryPool } from '../../support/memory-pool.js';
import { quoted, shown } from '../../../lib/engine/names.js';

const nodes: NodeOutcome[] = [
  { node: 'redis://a:1', outcome: 'granted' },
  { node: 'redis://b:2', outcome: 'held', detail: '900 ms left' },
  { node: 'redis://c:3', outcome: 'unknown', detail: 'connection closed' },
];

describe('RedlockError', () => {
  it.each([
    [new ResourceLockedError(['a'], 900, nodes), 'ResourceLockedError', 'RESOURCE_LOCKED'],
    [new QuorumNotReachedError(['a'], nodes, 'too few'), 'QuorumNotReachedError', 'QUORUM_NOT_REACHED'],
    [new LockLostError(['a'], 'nodes', 'its lease ran out'), 'LockLostError', 'LOCK_LOST'],
    [new LockKeyError('no key', ['a']), 'LockKeyError', 'LOCK_KEY'],
    [new RedlockClosedError(), 'RedlockClosedError', 'CLOSED'],
  ])('%s is told by its name and code', (error, name, code) => {
    expect(error).toBeInstanceOf(RedlockError);
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.code]).toEqual([name, code]);
    expect(error.stack).toContain(name);
  });

  it('names the resources', () => {
    expect(new ResourceLockedError(['a', 'b'], 1, []).message).toBe('"a", "b" is locked by another holder');
    expect(new LockLostError(['a', 'b'], 'nodes', 'it was stolen').message).toBe(
      'The lock on "a", "b" was lost: it was stolen',
    );
    expect(new LockLostError(['a', 'b'], 'nodes', 'x').resources).toEqual(['a', 'b']);
  });
});

describe('an error of a lock, in a log,', () => {
  const refusal = async (): Promise<unknown> => {
    const pool = new MemoryPool();
    pool.memory.forEach((node) => node.set('user:ann@example.com', 'foreign'));
    return pool
      .client()
      .redlock.acquire('user:ann@example.com', { waitTimeout: 0 })
      .catch((error: unknown) => error);
  };

  it('is short: it says where the caller is, and nothing of how this package is made', async () => {
    const error = await refusal();
    const [first, ...frames] = inspect(error).split('\n');
    expect(first).toBe('ResourceLockedError: "user:*" is locked by another holder');
    expect(frames.join()).not.toMatch(/\/lib\/|node:internal/);
    const thrown = new LockLostError(['a'], 'nodes', 'gone');
    expect(inspect(thrown)).toMatch(/^LockLostError: The lock on "a" was lost: gone\n +at .*errors\.spec\.ts/);
  });

  it('names no address, also where a logger writes down all that it has', async () => {
    const error = await refusal();
    const written = [
      inspect(error),
      inspect({ error }),
      JSON.stringify(error),
      JSON.stringify({ ...(error as object) }),
    ];
    expect(written.join()).not.toMatch(/ann@/);
    expect(error).toMatchObject({ code: 'RESOURCE_LOCKED', resources: ['user:ann@example.com'] });
  });
});

describe('QuorumNotReachedError', () => {
  it('says what each node said', () => {
    expect(new QuorumNotReachedError(['a'], nodes, 'too few nodes answered').message).toBe(
      'No quorum for "a": too few nodes answered; redis://a:1 granted, redis://b:2 held (900 ms left), ' +
        'redis://c:3 unknown (connection closed)',
    );
  });

  it('says nothing of nodes where there are none', () => {
    expect(new QuorumNotReachedError(['a'], [], 'why').message).toBe('No quorum for "a": why');
  });
});

describe('ResourceLockedError', () => {
  it('carries the ms left and the outcome of each node', () => {
    expect(new ResourceLockedError(['a'], 900, nodes)).toMatchObject({ retryAfter: 900, nodes });
  });
});

const HERE = new URL('../../../', import.meta.url).pathname;

describe('briefly', () => {
  it('leaves the frames of the application, and of the rest none', () => {
    const stack = [
      'ResourceLockedError: "a" is locked',
      `    at errorOf (file://${HERE}lib/engine/denied.ts:3:9)`,
      `    at ${HERE}lib/engine/local-queue.ts:3:9`,
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '    at async OrdersService.pay (/app/src/orders.service.ts:7:5)',
      '    at /app/node_modules/@nestjs/core/router/router-proxy.js:9:23',
      '    at C:\\app\\node_modules\\rxjs\\index.js:1:2',
    ].join('\n');
    expect(briefly(stack)).toBe(
      'ResourceLockedError: "a" is locked\n    at async OrdersService.pay (/app/src/orders.service.ts:7:5)',
    );
  });

  it('leaves a message of several lines, and anything that is no text, as it is', () => {
    expect(briefly('Error: one\n  two in node_modules\nthree')).toBe('Error: one\n  two in node_modules\nthree');
    expect(briefly(undefined)).toBe('undefined');
  });
});

describe('names of resources, as messages show them,', () => {
  it.each([
    ['nightly', 'nightly'],
    ['report-2026.11', 'report-2026.11'],
    ['user:ann@example.com', 'user:*'],
    ['user:42:profile', 'user:*'],
    ['users/42', 'users/*'],
    ['größe:42', 'größe:*'],
    ['ann@example.com', '*'],
    ['Ann <ann@example.com>', '*'],
    ['ann+tag@example.com:x', '*'],
    [':ann@example.com', '*'],
    ['{tag}:ann', '*'],
    ['Ann Smith', '*'],
    ['user-Ann Smith', '*'],
    ['123-45-6789', '*'],
    ['Ann Smith:42', '*'],
  ])('say the kind of "%s", and no value: "%s"', (resource, name) => {
    expect(shown([resource])).toBe(`"${name}"`);
  });

  it('show only the beginning of what is long', () => {
    expect(shown(['x'.repeat(1_000)])).toBe(`"${'x'.repeat(64)}..."`);
  });

  it('say each of several', () => {
    expect(shown(['account:1', 'nightly'])).toBe('"account:*", "nightly"');
    expect(quoted(['account:1', 'nightly'])).toBe('"account:1", "nightly"');
  });
});
