import { describe, expect, it } from '@jest/globals';
import type { CheckedPool, Finding } from '../../../lib/cli/doctor/check.js';
import { VERSION_CHECKS } from '../../../lib/cli/doctor/settings.js';

/** What is found on a server with these fields of INFO. */
async function found(fields: Record<string, string>): Promise<Finding | undefined> {
  const node = { session: { name: 'node' }, info: new Map(Object.entries(fields)) };
  const [finding] = await VERSION_CHECKS[0]!.find({ nodes: [node] } as unknown as CheckedPool);
  return finding;
}

/** A Valkey says also which version of Redis it is compatible with. */
function fieldsOf(product: string, text: string): Record<string, string> {
  return product === 'Valkey' ? { redis_version: '7.2.4', valkey_version: text } : { redis_version: text };
}

const BOTH = ['CVE-2025-49844', 'CVE-2026-23631'];
const [FIRST, SECOND] = BOTH;

describe('the check of versions', () => {
  it.each([
    // Older than the second hole.
    ['Redis', '6.2.19', [FIRST]],
    ['Redis', '6.0.20', [FIRST]],
    ['Redis', '7.0.15', BOTH],
    ['Redis', '7.2.10', BOTH],
    ['Redis', '7.2.11', [SECOND]],
    ['Redis', '7.2.13', [SECOND]],
    ['Redis', '7.4.5', BOTH],
    ['Redis', '7.4.8', [SECOND]],
    ['Redis', '8.0.3', BOTH],
    ['Redis', '8.0.4', [SECOND]],
    ['Redis', '8.0.6', [SECOND]],
    ['Redis', '8.2.1', BOTH],
    ['Redis', '8.2.5', [SECOND]],
    ['Redis', '8.4.2', [SECOND]],
    ['Redis', '8.6.2', [SECOND]],
    ['Valkey', '7.2.10', BOTH],
    ['Valkey', '7.2.12', [SECOND]],
    ['Valkey', '8.0.5', BOTH],
    ['Valkey', '8.0.7', [SECOND]],
    ['Valkey', '8.1.3', BOTH],
    ['Valkey', '8.1.6', [SECOND]],
    ['Valkey', '9.0.3', [SECOND]],
  ])('names the holes of %s %s: %j', async (product, version_, holes) => {
    expect((await found(fieldsOf(product, version_)))?.what).toBe(
      `${product} ${version_} may have known holes in its Lua: ${holes.join(', ')}`,
    );
  });

  it.each([
    ['Redis', '6.2.20'],
    ['Redis', '7.2.14'],
    ['Redis', '7.4.9'],
    ['Redis', '8.2.6'],
    ['Redis', '8.4.3'],
    ['Redis', '8.6.3'],
    ['Redis', '8.8.0'],
    ['Redis', '10.0.0'],
    ['Valkey', '7.2.13'],
    ['Valkey', '8.0.8'],
    ['Valkey', '8.1.7'],
    ['Valkey', '9.0.4'],
    ['Valkey', '9.1.0'],
    ['Redis', 'unstable'],
  ])('has nothing against %s %s', async (product, version_) => {
    expect(await found(fieldsOf(product, version_))).toBeUndefined();
  });

  it('has nothing against a server that does not say', async () => {
    expect(await found({})).toBeUndefined();
  });

  it('says in which versions of the product each hole is closed', async () => {
    expect((await found(fieldsOf('Valkey', '8.0.1')))?.remedy).toBe(
      'update it, unless your distribution has closed them without a new version number; ' +
        'CVE-2025-49844 is closed in 8.1.4, 8.0.6, 7.2.11; CVE-2026-23631 is closed in 9.0.4, 8.1.7, 8.0.8, 7.2.13',
    );
    expect((await found(fieldsOf('Redis', '8.4.0')))?.remedy).toContain(
      'CVE-2026-23631 is closed in 8.6.3, 8.4.3, 8.2.6, 7.4.9, 7.2.14',
    );
  });
});
