import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import ts from 'typescript';
import { RedlockModule, RedlockService } from '../../lib/index.js';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What the compiler writes for users about a file, with the settings of the package. */
async function declarationsOf(path: string): Promise<ts.SourceFile> {
  const { config } = ts.parseConfigFileTextToJson('tsconfig.build.json', await read('tsconfig.build.json')) as {
    config: { compilerOptions: { stripInternal: boolean } };
  };
  const { stripInternal } = config.compilerOptions;
  const { outputText } = ts.transpileDeclaration(await read(path), {
    compilerOptions: { stripInternal, target: ts.ScriptTarget.ES2022, experimentalDecorators: true },
  });
  return ts.createSourceFile('declarations.d.ts', outputText, ts.ScriptTarget.ES2022);
}

describe('RedlockService, as users see it', () => {
  it('shows what is for them, and no hook or option of Nest', async () => {
    const file = await declarationsOf('lib/redlock.service.ts');
    const service = file.statements.find((statement) => ts.isClassDeclaration(statement))!;
    const names = service.members.flatMap(({ name }) => (name ? [name.getText(file)] : []));
    // Names that are symbols of the package are no words that an editor offers.
    expect([...new Set(names)].filter((name) => !/^[#[]/.test(name)).sort()).toEqual([
      'acquire',
      'events$',
      'isShuttingDown',
      'key',
      'lead',
      'leader',
      'status',
      'tryAcquire',
      'withLock',
    ]);
    expect(service.heritageClauses).toBeUndefined();
  });

  it('hears of the life of the application all the same', async () => {
    const options = { enabled: false, exceptionFactory: (): Error => new Error('mine') };
    const module = await Test.createTestingModule({ imports: [RedlockModule.forRoot(options)] }).compile();
    module.useLogger(false);
    await module.init();
    const service = module.get(RedlockService);
    const lock = await service.acquire('a');
    await lock.release();
    await module.close();
    await expect(service.acquire('a')).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
