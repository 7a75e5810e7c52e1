import { afterEach, describe, expect, it } from '@jest/globals';
import { Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { RedlockModule, RedlockService } from '../../lib/index.js';
import { ALL_BEFORE } from '../interop/migration/all-before.js';
import { beforeCode, MIGRATE, sections } from '../interop/migration/before-code.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

interface Reports {
  build(account: string): Promise<string>;
}

const LIBRARIES = [...sections().keys()];
const PAGE = readFileSync(MIGRATE, 'utf8');

/** The code after the migration: of the library, or before all of its group that have none of their own. */
function codeOf(library: string): string {
  const own = blockOf(sections().get(library)!);
  const group = PAGE.split(/^## /m).find((part) => part.includes(`\n### ${library}\n`))!;
  const code = own ?? blockOf(group.split('\n### ')[0]!);
  if (code === undefined) throw new Error(`${MIGRATE} has no reports.service.ts for ${library}`);
  return code;
}

function blockOf(text: string): string | undefined {
  return /```ts\n\/\/ reports\.service\.ts\n(.*?)```/s.exec(text)?.[1];
}

describe(MIGRATE, () => {
  it('has code from before of six libraries, which npm run interop compiles and runs', () => {
    expect(LIBRARIES).toHaveLength(6);
    expect(ALL_BEFORE.map(({ library }) => library)).toEqual(LIBRARIES);
    for (const before of ALL_BEFORE) expect(beforeCode(before)).toContain('build(');
  });

  it('has one table for each library', () => {
    for (const section of sections().values()) expect(section.match(/^\| -+ \|/gm)).toHaveLength(1);
  });
});

describe.each(LIBRARIES)('docs/compare/migrate.md, %s', (library) => {
  let app: INestApplicationContext | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await stopAll();
    await removePasted();
  });

  const start = async (): Promise<Reports> => {
    const pasted = await PastedCode.write([{ file: 'reports.service.ts', code: codeOf(library) }]);
    const { ReportsService } = await pasted.run<{ ReportsService: Type<Reports> }>('reports.service.ts');
    const nodes = (await startRedisServers(3)).map(({ url }) => url);
    @Module({
      imports: [RedlockModule.forRoot({ nodes, keyPrefix: '', restartQuarantine: false })],
      providers: [ReportsService],
    })
    class AppModule {}
    app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
    return app.get(ReportsService);
  };

  it('has code that takes the lock and gives it back', async () => {
    const reports = await start();
    const events: string[] = [];
    app!.get(RedlockService).events$.subscribe(({ type }) => events.push(type));
    await expect(Promise.all([reports.build('a'), reports.build('a')])).resolves.toEqual(Array(2).fill('report of a'));
    expect(events.filter((type) => type === 'acquired' || type === 'released')).toHaveLength(4);
  });
});
