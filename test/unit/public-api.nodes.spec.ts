import { describe, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { Redis, RedisOptions } from 'ioredis';
import type { IoredisClient, NodeCredentials, NodeOptions, RedlockModuleOptions } from '../../lib/index.js';

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
  | 'sentinels'
  | 'name'
  | 'sentinelUsername'
  | 'sentinelPassword'
  | 'sentinelTLS'
  | 'enableTLSForSentinelMode'
  | 'updateSentinels'
  | 'natMap'
>;

interface Credentials {
  username?: string | undefined;
  password?: string | undefined;
  tls?: RedisOptions['tls'];
}

describe('the public surface', () => {
  // The types are checked by the compiler (npm run typecheck).
  it('has these options of a node', () => {
    expectTypeOf<Omit<NodeOptions, 'credentials'>>().toEqualTypeOf<AllowedOptions>();
    expectTypeOf<NonNullable<NodeOptions['credentials']>>().toEqualTypeOf<() => Credentials | Promise<Credentials>>();
    expectTypeOf<NodeCredentials>().toEqualTypeOf<Credentials>();
    expectTypeOf<RedlockModuleOptions['nodes']>().toEqualTypeOf<(string | NodeOptions | IoredisClient)[] | undefined>();
  });

  it('takes clients of ioredis, whose options may be those of another version', () => {
    interface OldOptions {
      host?: string;
      dropBufferSupport?: boolean;
    }
    interface OldClient {
      options: OldOptions;
      status: string;
      duplicate(override?: Partial<OldOptions>): OldClient;
    }
    expectTypeOf<Redis>().toExtend<IoredisClient>();
    expectTypeOf<OldClient>().toExtend<IoredisClient>();
    expectTypeOf<string>().not.toExtend<IoredisClient>();
  });
});
