import { describe, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { RedisOptions } from 'ioredis';
import type { NodeCredentials, RedlockModuleOptions } from '../../lib/index.js';

/** What a node may be described by; all else is refused. */
type AllowedOptions = Pick<
  RedisOptions,
  | 'host'
  | 'port'
  | 'path'
  | 'family'
  | 'db'
  | 'username'
  | 'password'
  | 'tls'
  | 'protocol'
  | 'connectionName'
  | 'connectTimeout'
  | 'disconnectTimeout'
  | 'keepAlive'
  | 'noDelay'
  | 'clientInfoTag'
  | 'disableClientInfo'
  | 'showFriendlyErrorStack'
>;

interface Credentials {
  username?: string | undefined;
  password?: string | undefined;
  tls?: RedisOptions['tls'];
}

describe('the public surface', () => {
  // The types are checked by the compiler (npm run typecheck).
  it('has these options of a node', () => {
    type Node = Exclude<NonNullable<RedlockModuleOptions['nodes']>[number], string>;
    expectTypeOf<Omit<Node, 'credentials'>>().toEqualTypeOf<AllowedOptions>();
    expectTypeOf<NonNullable<Node['credentials']>>().toEqualTypeOf<() => Credentials | Promise<Credentials>>();
    expectTypeOf<NodeCredentials>().toEqualTypeOf<Credentials>();
    expectTypeOf<RedlockModuleOptions['nodes']>().toEqualTypeOf<(string | Node)[] | undefined>();
  });
});
