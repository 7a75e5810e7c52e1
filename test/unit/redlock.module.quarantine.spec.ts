import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockModule } from '../../lib/redlock.module.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';

/** Nobody connects to them: a module connects when it is initialised, and these tests only build it. */
const nodes = ['redis://10.0.0.1', 'redis://10.0.0.2', 'redis://10.0.0.3'];

describe('restartQuarantine: false', () => {
  const { NODE_ENV } = process.env;
  let lines: unknown[];
  const build = async (
    environment: string | undefined,
    options: Partial<RedlockModuleOptions>,
    name?: string,
  ): Promise<void> => {
    if (environment === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = environment;
    await Test.createTestingModule({ imports: [RedlockModule.forRoot({ nodes, ...options, name })] }).compile();
  };

  beforeEach(() => {
    lines = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(line));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env['NODE_ENV'] = NODE_ENV;
  });

  it.each([
    ['production', /NODE_ENV is "production"\. Restarted or emptied nodes vote at once.* \[REDLOCK_W19\]$/],
    ['staging', /NODE_ENV is "staging"/],
    ['', /NODE_ENV is not set/],
    [undefined, /NODE_ENV is not set/],
  ])('is a warning once where NODE_ENV is %s', async (environment, words) => {
    await build(environment, { restartQuarantine: false });
    expect(lines).toEqual([expect.stringMatching(words)]);
  });

  it('names the pool', async () => {
    await build('production', { restartQuarantine: false }, 'billing');
    expect(lines).toEqual([expect.stringMatching(/is false for pool "billing"/)]);
  });

  it.each<[string, string | undefined, Partial<RedlockModuleOptions>]>([
    ['it says development', 'development', { restartQuarantine: false }],
    ['it says test', 'test', { restartQuarantine: false }],
    ['the quarantine is on', 'production', { restartQuarantine: true }],
    ['nothing is said of the quarantine, which is on then', undefined, {}],
  ])('is no warning where %s', async (_case, environment, options) => {
    await build(environment, options);
    expect(lines).toEqual([]);
  });
});
