import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

describe('the public surface', () => {
  it('has these types, and no more', async () => {
    const source = await readFile(new URL('../../lib/index.ts', import.meta.url), 'utf8');
    const lists = [...source.matchAll(/export type \{([^}]*)\}/g)].map(([, names]) => names!.split(','));
    const names = lists.flat().map((name) => name.trim());
    expect(names.filter((name) => name !== '').sort()).toEqual([
      'AcquireMessage',
      'AcquireOutcome',
      'AcquirePath',
      'CallMessage',
      'Candidate',
      'CurrentLeader',
      'ExceptionFactory',
      'ExtendMessage',
      'HoldMessage',
      'IoredisClient',
      'LeadOptions',
      'LeaderMessage',
      'LeaderOptions',
      'LeaderWork',
      'Lock',
      'LockDecorator',
      'LockEvent',
      'LockHolder',
      'LockKey',
      'LockLossReason',
      'LockOptions',
      'NodeCredentials',
      'NodeMessage',
      'NodeOptions',
      'NodeOutcome',
      'NodeStatus',
      'OnceMessage',
      'OnceOutcome',
      'ProcessNote',
      'RedlockAsyncOptions',
      'RedlockErrorCode',
      'RedlockFactoryOptions',
      'RedlockModuleExtras',
      'RedlockModuleOptions',
      'RedlockOptionsFactory',
      'RedlockStatus',
      'RefusalCode',
      'ReplyEvent',
      'RequestMessage',
      'StatusOptions',
      'StopWork',
      'Term',
      'TermEnd',
      'TypedWithLock',
      'WithLockOptions',
    ]);
    // Whatever stands there besides would be in neither list.
    expect(source.replaceAll(/export (type )?\{[^}]*\} from '[^']*';/g, '').trim()).toBe('');
  });
});
