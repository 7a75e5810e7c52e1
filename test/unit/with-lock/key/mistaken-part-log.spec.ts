import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { RedlockService } from '../../../../lib/index.js';
import { MistakenPartLog } from '../../../../lib/with-lock/key/mistaken-part.js';
import { RedlockTestingModule } from '../../../../lib/testing/index.js';

describe('MistakenPartLog', () => {
  let warn: jest.Mock;
  let log: MistakenPartLog;

  beforeEach(() => {
    warn = jest.fn();
    log = new MistakenPartLog({ warn });
  });

  it.each([
    ['user:<body.email>', '<body.email>'],
    ['<0>', '<0>'],
    ['user:<0.email|trim|lower>:profile', '<0.email|trim|lower>'],
    ['user:<args.input.id>', '<args.input.id>'],
  ])('warns of %s once, by its part alone', (name, part) => {
    for (const resource of [name, ['all', `other:${part}`], name]) log.look(resource);
    expect(warn.mock.calls).toEqual([[expect.stringContaining(`The name of a lock has ${part} in it`)]]);
    expect(warn.mock.calls[0]![0]).toContain("redlock.key('user:<0>', email)");
  });

  it.each([
    ['user:undefined', 'undefined'],
    ['user:[object Object]:profile', '[object Object]'],
  ])('warns once of what JavaScript makes of nothing: %s', (name, found) => {
    for (const resource of [name, [name]]) log.look(resource);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining(`The name of a lock has ${found} in it. A missing value or an object`)],
    ]);
  });

  it.each([
    'undefinedly:7',
    'mail:Ann <a@b.example>',
    'a<b',
    '<body>',
    '<user>',
    '<b>',
    'List<number>',
    '<html.body>',
    '<body.\n>',
    'user:7',
  ])('says nothing of %j', (name) => {
    log.look([name]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('says nothing of what is no name', () => {
    for (const resource of [undefined, null, 5, [undefined, 5]]) log.look(resource as unknown as string);
    expect(warn).not.toHaveBeenCalled();
  });

  it('does not flood the log where such names are data', () => {
    for (let index = 0; index < 1_000; index += 1) log.look(`title:<body.${index}>`);
    expect(warn).toHaveBeenCalledTimes(20);
  });
});

it.each<[string, (redlock: RedlockService) => Promise<unknown>]>([
  ['acquire', async (redlock) => (await redlock.acquire('user:<body.email>')).release()],
  ['tryAcquire', async (redlock) => (await redlock.tryAcquire(['user:<body.email>']))?.release()],
  ['withLock', (redlock) => redlock.withLock('user:<body.email>', () => undefined)],
])('the service warns of a template in %s, and locks the name', async (_case, call) => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const module = await Test.createTestingModule({ imports: [RedlockTestingModule.forRoot()] }).compile();
  await module.init();
  for (let times = 0; times < 2; times += 1) await call(module.get(RedlockService));
  expect(warn.mock.calls.filter(([line]) => String(line).includes('<body.email>'))).toHaveLength(1);
  await module.close();
  warn.mockRestore();
});
