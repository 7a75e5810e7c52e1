import { describe, expect, it } from '@jest/globals';
import { isWithoutLua, NO_LUA, withoutKeys } from '../../../../lib/redis/batch/lua.js';

describe('an error of a node that runs no scripts', () => {
  it.each([
    "ERR unknown command 'evalsha', with args beginning with: '7c5c' '4' 'lock:~waiting' 'lock:user:ann'",
    'ERR unknown command `EVAL`, with args beginning with: `return 1`, `0`, ',
    "ERR unknown command 'eval'",
    "ERR Could not find scripting engine 'lua'",
  ])('is one sentence, without the keys in it: %s', (error) => {
    expect([isWithoutLua(error), withoutKeys(error)]).toEqual([true, NO_LUA]);
  });

  it.each([
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "NOPERM User locks has no permissions to run the 'eval' command",
  ])('stays as it is where it is about the user: %s', (error) => {
    expect([isWithoutLua(error), withoutKeys(error)]).toEqual([true, error]);
  });

  it.each([
    "ERR unknown command 'evaluate'",
    "ERR unknown command 'subscribe'",
    "NOPERM this user has no permissions to run the 'set' command",
    'ERR Error running script: unknown command',
  ])('is none of these: %s', (error) => {
    expect([isWithoutLua(error), withoutKeys(error)]).toEqual([false, error]);
  });
});
