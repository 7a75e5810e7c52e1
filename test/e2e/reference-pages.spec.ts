import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { readFileSync } from 'node:fs';
import { RedlockModule, RedlockService, type WithLockOptions } from 'nestjs-redlock';
import { RedlockTesting, RedlockTestingModule } from 'nestjs-redlock/testing';
import { DEFAULT_LOCK_OPTIONS, prepareOptions } from '../../lib/engine/options.js';
import { eventually } from '../support/eventually.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';

const pageOf = (name: string): string => readFileSync(`docs/reference/${name}.md`, 'utf8');
const OPTIONS = pageOf('options');

afterEach(removePasted);
afterEach(() => void jest.restoreAllMocks());

/** The cells of the row of an option in a section of the page about options. */
function rowOf(section: string, option: string): string[] {
  const part = OPTIONS.split(/^## /m).find((text) => text.startsWith(section)) ?? '';
  const row = part.split('\n').find((line) => line.startsWith(`| **\`${option}\`**`)) ?? '';
  return row.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

describe('docs/reference/options.md', () => {
  it('has the default of every lock option', () => {
    for (const [name, value] of Object.entries(DEFAULT_LOCK_OPTIONS))
      expect(rowOf('Lock', name)[3]!.replaceAll(/[`_]/g, '')).toMatch(new RegExp(`^${value}\\b`));
  });

  it('has ranges that calls are held to', () => {
    const [least] = rowOf('Lock', 'ttl')[4]!.split(' ');
    const take = (ttl: number): unknown => prepareOptions(DEFAULT_LOCK_OPTIONS, { ttl });
    expect(() => take(Number(least))).not.toThrow();
    expect(() => take(Number(least) - 1)).toThrow(RangeError);
    expect(rowOf('Lock', 'waitTimeout')[4]).toBe('0 to 2^31-1, or `Infinity`');
    expect(rowOf('Pool', 'maxResources')[4]).toBe('1 to 128');
  });

  it('has the modes as types', () => {
    const modes: readonly WithLockOptions['onContended'][] = ['wait', 'reject', 'skip', 'join'];
    const cell = rowOf('`@WithLock`', 'onContended')[2]!.replaceAll('\\', '');
    expect(cell).toBe(`\`${modes.map((mode) => `"${mode}"`).join(' | ')}\``);
  });
});

describe.each(['errors', 'events'])('docs/reference/%s.md', (name) => {
  it('has the code that is run here', () => {
    expect(codeBlocks(pageOf(name))).toHaveLength(1);
  });
});

describe('the code of the reference', () => {
  let module: TestingModule;

  afterEach(() => module.close());

  async function start(page: string, name: string): Promise<RedlockTesting> {
    const blocks = codeBlocks(pageOf(page));
    const pasted = await PastedCode.write(blocks);
    const provider = (await pasted.run<Record<string, Type>>(blocks[0]!.file))[name]!;
    const pool = RedlockModule.forRoot({ nodes: ['redis://10.0.0.1'], isGlobal: true });
    const imports = [pool, RedlockTestingModule.forRoot()];
    module = await Test.createTestingModule({
      imports,
      providers: [{ provide: 'pasted', useClass: provider }],
    }).compile();
    await module.init();
    return module.get(RedlockTesting);
  }

  it('tells a held resource from other failures', async () => {
    const testing = await start('errors', 'ReportService');
    const service = module.get<{ write(): Promise<string> }>('pasted');
    expect(await service.write()).toBe('written');
    const held = testing.hold('report:2026');
    expect(await service.write()).toBe('busy');
    held.release();
    testing.outage();
    await expect(service.write()).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
  });

  it('logs lost locks', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const testing = await start('events', 'LostLocks');
    const lock = await module.get(RedlockService).acquire('order:1');
    await testing.loseLock('order:1');
    await eventually(() => expect(log.mock.calls.map(([text]) => text)).toContain('order:1: nodes'));
    await lock.release();
  });
});
