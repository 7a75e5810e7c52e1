import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { LockKeyError, RedlockService, WithLock } from '../../lib/index.js';
import { RedlockTesting, RedlockTestingModule } from '../../lib/testing/index.js';

interface User {
  readonly email?: string;
  readonly id?: number;
}

@Injectable()
class Users {
  @WithLock('user:<0.email|trim|lower>')
  async register(user: User): Promise<unknown> {
    return user;
  }

  @WithLock(['user:<0.id>:profile', 'team-<1>'])
  async move(user: User, _team: string): Promise<unknown> {
    return user;
  }
}

describe('the name of a lock, made by hand', () => {
  let module: TestingModule;
  let service: RedlockService;
  let users: Users;
  const locked = (): readonly string[] => {
    const [event] = module.get(RedlockTesting).events;
    return event?.type === 'acquired' ? event.resources : [];
  };

  beforeEach(async () => {
    module = await Test.createTestingModule({
      imports: [RedlockTestingModule.forRoot()],
      providers: [Users],
    }).compile();
    module.useLogger(false);
    await module.init();
    [service, users] = [module.get(RedlockService), module.get(Users)];
  });

  afterEach(() => module.close());

  it.each(['Ann@b.example', ' A:B ', 'a%3Ab', 'ünï/😀'])(
    'is that of a decorated method with the same argument: %j',
    async (email) => {
      await users.register({ email });
      expect(locked()).toEqual([service.key('user:<0.email|trim|lower>', { email })]);
      expect(locked()).toEqual([service.key('user:<0|trim|lower>', email)]);
    },
  );

  it('is several names for several templates', async () => {
    await users.move({ id: 7 }, 'b-side');
    const names = service.key(['user:<0.id>:profile', 'team-<1>'], { id: 7 }, 'b-side');
    expect(names).toEqual(['user:7:profile', 'team-b%2Dside']);
    expect(locked()).toEqual(names);
  });

  it('keeps a value of one template from being the key of another one', () => {
    expect(service.key('user:<0>', '42:profile')).not.toBe(service.key('user:<0>:profile', 42));
  });

  it('excludes the decorated method', async () => {
    const held = await service.acquire(service.key('user:<0>', 'a:b'));
    const call = users.register({ email: 'A:B' });
    await module.get(RedlockTesting).untilWaiting('user:a%3Ab');
    await held.release();
    await expect(call).resolves.toEqual({ email: 'A:B' });
  });

  it('takes a constant as it is', () => {
    expect(service.key('nightly: 50%')).toBe('nightly: 50%');
  });

  it.each<[string, () => unknown, RegExp]>([
    ['a missing argument', () => service.key('user:<0>'), /is missing, so the key user:<0> cannot be made/],
    ['an empty one', () => service.key('user:<0>', ''), /is empty/],
    ['an object', () => service.key('user:<0>', {}), /not a text, number or boolean/],
    ['half of a surrogate pair', () => service.key('user:<0>', '\uD800'), /not well-formed Unicode/],
    ['the name of a family', () => service.key('<0>~fence', 'a'), /reserved for keys beside locks/],
    ['what is too long', () => service.key('user:<0>', 'x'.repeat(600)), /at most 512 bytes/],
  ])('is an error for %s, as with a decorator', (_case, make, why) => {
    expect(make).toThrow(LockKeyError);
    expect(make).toThrow(why);
  });

  it.each<[string, unknown]>([
    ['no template', undefined],
    ['an empty list', []],
    ['a malformed one', 'user:<0'],
    ['an unknown filter', 'user:<0|lowre>'],
    ['a function', (id: string) => id],
    ['a part of a request', 'user:<body.email>'],
  ])('is a TypeError for %s', (_case, template) => {
    expect(() => service.key(template as string, 'a')).toThrow(TypeError);
  });
});
