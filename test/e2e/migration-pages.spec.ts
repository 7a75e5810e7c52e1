import { afterEach, describe, expect, it } from '@jest/globals';
import { Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedlockModule, RedlockService } from '../../lib/index.js';
import { beforeCode } from '../interop/migration/before-code.js';
import { BEFORE_PAGES } from '../interop/migration/before-pages.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { complaintsAbout } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

const PAGES = readdirSync('docs/compare/migration').filter((file) => file.endsWith('.md'));

interface Reports {
  build(account: string): Promise<string>;
}

/** The block of the page that has a name: the code after the migration. */
function codeOf(page: string): string {
  const text = readFileSync(join('docs/compare/migration', page), 'utf8');
  const code = /```ts\n\/\/ reports\.service\.ts\n(.*?)```/s.exec(text)?.[1];
  if (code === undefined) throw new Error(`docs/compare/migration/${page} has no reports.service.ts`);
  return code;
}

describe('docs/compare/migration', () => {
  it('has code from before on each page, which npm run interop compiles and runs', () => {
    expect(BEFORE_PAGES.map(({ page }) => page).sort()).toEqual(PAGES.toSorted());
    for (const page of BEFORE_PAGES) expect(beforeCode(page)).toContain('build(');
  });
});

describe.each(PAGES)('docs/compare/migration/%s', (page) => {
  let app: INestApplicationContext | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await stopAll();
    await removePasted();
  });

  const start = async (): Promise<Reports> => {
    const pasted = await PastedCode.write([{ file: 'reports.service.ts', code: codeOf(page) }]);
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

  it('has code that compiles', () => {
    expect(complaintsAbout([{ file: page.replace('.md', '.ts'), code: codeOf(page) }])).toEqual([]);
  }, 120_000);

  it('has code that takes the lock and gives it back', async () => {
    const reports = await start();
    const events: string[] = [];
    app!.get(RedlockService).events$.subscribe(({ type }) => events.push(type));
    await expect(Promise.all([reports.build('a'), reports.build('a')])).resolves.toEqual(Array(2).fill('report of a'));
    expect(events.filter((type) => type === 'acquired' || type === 'released')).toHaveLength(4);
  });
});
