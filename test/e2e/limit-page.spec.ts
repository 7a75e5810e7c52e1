import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { ownersOn, poolOn } from '../support/nest/nodes.js';
import { closeApps, TestApp } from '../support/nest/test-app.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { serviceReplicas } from '../support/recipes/service-replicas.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll, type RedisServer } from '../support/redis-server.js';

const FILE = 'docs/guides/limit.md';
const PAGE = readFileSync(FILE, 'utf8');
const BLOCKS = codeBlocks(PAGE);
const LIMIT = { limit: 3, autoExtend: true };

interface Exports {
  export(region: string): Promise<string>;
  tryExport(region: string): Promise<string>;
  rebuild(region: string): Promise<string>;
}

describe(FILE, () => {
  let servers: RedisServer[];
  let apps: readonly TestApp[];
  let services: readonly Exports[];

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });

  afterEach(async () => {
    await closeApps();
    await removePasted();
  });

  afterAll(() => stopAll());

  const pasted = async (replace = (code: string): string => code): Promise<Type<Exports>> => {
    const code = await PastedCode.write(BLOCKS.map((block) => ({ ...block, code: replace(block.code) })));
    return (await code.run<{ ExportsService: Type<Exports> }>('exports.service.ts')).ExportsService;
  };
  const start = async (): Promise<void> => {
    ({ apps, services } = await serviceReplicas(servers, await pasted(), []));
  };

  it('has the code that is run here, and names the bounds', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual(['exports.service.ts']);
    expect(PAGE.match(/```ts\n/g)).toHaveLength(1);
    const [, most] = /MOST_SLOTS = (\d+);/.exec(readFileSync('lib/engine/options.ts', 'utf8'))!;
    expect(PAGE).toContain(`from 1 to ${most}.`);
  });

  it('has methods that do what their comments say, on two replicas together', async () => {
    await start();
    const held = await Promise.all([0, 1, 0].map((app) => apps[app]!.redlock.acquire('export:eu', LIMIT)));
    expect(new Set(held.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]));
    expect(await services[1]!.tryExport('eu')).toBe('busy');
    apps.forEach(({ log }) => log.clear());
    const waiting = services[1]!.export('eu');
    await apps[1]!.log.until('contended', 'export:eu');
    await held[1]!.release();
    expect(await waiting).toBe(`eu through port ${9_000 + held[1]!.slot!}`);
    expect(await services[0]!.tryExport('eu')).toBe(`eu through port ${9_000 + held[1]!.slot!}`);
    apps.forEach(({ log }) => log.clear());
    const rebuilding = services[0]!.rebuild('eu');
    await apps[0]!.log.until('contended', 'export:eu');
    await held[0]!.release();
    expect(await services[1]!.tryExport('eu')).toBe('busy');
    await held[2]!.release();
    expect(await rebuilding).toBe('eu rebuilt');
  });

  it('has the names of the slots on the nodes', async () => {
    await start();
    const names = [...PAGE.matchAll(/`(export:eu~\d)`/g)].map(([, name]) => name!);
    const held = await Promise.all(names.map(() => apps[0]!.redlock.acquire('export:eu', LIMIT)));
    for (const name of names) expect((await ownersOn(servers, name)).filter(Boolean).length).toBeGreaterThan(1);
    expect(await ownersOn(servers, 'export:eu')).toEqual([null, null, null]);
    await Promise.all(held.map((lock) => lock.release()));
  });

  it('says what callers with other limits do together', async () => {
    await start();
    const [one, two] = apps.map(({ redlock }) => redlock);
    const held = await Promise.all([1, 2, 3].map(() => one!.acquire('export:us', LIMIT)));
    const others = [await two!.tryAcquire('export:us'), await two!.tryAcquire('export:us')];
    expect(others.map((lock) => lock !== null)).toEqual([true, false]);
    const more = [await two!.acquire('export:us', { limit: 5 }), await two!.acquire('export:us', { limit: 5 })];
    expect(new Set(more.map(({ slot }) => slot))).toEqual(new Set([3, 4]));
    expect(await two!.tryAcquire('export:us', { limit: 5 })).toBeNull();
    await Promise.all(held.map((lock) => lock.release()));
    const all = await one!.tryAcquire('export:us', { limit: 3, take: 'all' });
    expect(all).not.toBeNull();
    for (const lock of [...others, ...more, all]) await lock?.release();
  });

  it('names the error of two limits for one key template', async () => {
    const second = "\n  @WithLock('export:<0>', { limit: 5 })\n  async other(_region: string): Promise<void> {}\n}\n";
    const ExportsService = await pasted((code) => code.replace(/\n}\n$/, () => `\n${second}`));
    const metadata = { imports: [poolOn(servers)], providers: [ExportsService] };
    await expect(TestApp.start('Express', metadata)).rejects.toMatchObject({ code: 'REDLOCK_E15' });
    expect(PAGE).toContain('`REDLOCK_E15`');
  });

  it('orders the holders of one slot by token, and all of them before a call that takes all', async () => {
    await start();
    const [one, two] = apps.map(({ redlock }) => redlock);
    const tokens: number[] = [];
    for (const redlock of [one!, two!, one!]) {
      const held = await Promise.all([1, 2, 3].map(() => redlock.acquire('export:asia', LIMIT)));
      tokens.push(...held.map(({ fencingToken }) => fencingToken));
      await Promise.all(held.map((lock) => lock.release()));
    }
    const all = await two!.acquire('export:asia', { limit: 3, take: 'all' });
    expect(all.fencingToken).toBeGreaterThan(Math.max(...tokens));
    await all.release();
    const later = await one!.acquire('export:asia', LIMIT);
    expect(later.fencingToken).toBeGreaterThan(all.fencingToken);
    await later.release();
  });
});
