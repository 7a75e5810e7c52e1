import { describe, expect, it } from '@jest/globals';
import { version } from '../../../../../lib/cli/doctor/checks/version.js';
import type { Ward } from '../../../../../lib/cli/doctor/finding.js';

/** What is said of a server with these fields of INFO. */
async function said(fields: Record<string, string>): Promise<string | undefined> {
  const patient = { session: { name: 'node' }, info: new Map(Object.entries(fields)) };
  const [finding] = await version.find({ patients: [patient] } as unknown as Ward);
  return finding?.what;
}

describe('the check of versions', () => {
  it.each([
    ['7.0.15', ['CVE-2025-49844', 'CVE-2026-23631']],
    ['6.2.19', ['CVE-2025-49844', 'CVE-2026-23631']],
    ['6.2.20', ['CVE-2026-23631']],
    ['7.2.11', ['CVE-2026-23631']],
    ['8.2.1', ['CVE-2025-49844', 'CVE-2026-23631']],
    ['8.2.2', ['CVE-2026-23631']],
    ['8.4.0', ['CVE-2026-23631']],
    ['8.6.2', ['CVE-2026-23631']],
  ])('names the holes of Redis %s: %j', async (redis_version, holes) => {
    expect(await said({ redis_version })).toBe(
      `Redis ${redis_version} may have known holes in its Lua: ${holes.join(', ')}`,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['Redis 8.6.3', { redis_version: '8.6.3' }],
    ['Redis 8.8.0', { redis_version: '8.8.0' }],
    ['Redis 10.0.0', { redis_version: '10.0.0' }],
    ['Valkey, whose versions are others', { redis_version: '7.2.4', valkey_version: '8.1.4' }],
    ['a server that does not say', {}],
    ['a version that is none', { redis_version: 'unstable' }],
  ])('has nothing against %s', async (_case, fields) => {
    expect(await said(fields)).toBeUndefined();
  });
});
