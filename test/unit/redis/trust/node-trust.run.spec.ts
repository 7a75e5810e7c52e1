import { describe, expect, it } from '@jest/globals';
import type { Command, Redis } from 'ioredis';
import { NO_RUN } from '../../../../lib/redis/batch/batch-encoder.js';
import type { NodeTrust } from '../../../../lib/redis/trust/node-trust.js';
import { bulk } from '../../../../lib/redis/connection/wire/resp.js';
import { decode } from '../../../support/batch-words.js';
import { NotedTrust } from '../../../support/noted-trust.js';

/** A connection to a node, which notes what it is asked and in which order. */
class Connection {
  readonly asked: unknown[] = [];

  constructor(private readonly told: string | Promise<string>) {}

  get redis(): Redis {
    const note = (what: unknown, reply: unknown = null): unknown => {
      this.asked.push(what);
      return Promise.resolve(reply);
    };
    return {
      info: () => note('INFO', this.told),
      get: (key: string) => note(`GET ${key}`),
      exists: (key: string) => note(`EXISTS ${key}`, 0),
      call: (...words: string[]) => note(words),
      sendCommand: (command: Command) => note(decode(command.toWritable({}) as string)),
    } as unknown as Redis;
  }
}

const infoOf = (run: string, version = '7.0.15'): string =>
  `redis_version:${version}\r\nrun_id:${run}\r\nrole:master\r\n`;
const trustOf = (restartQuarantine = true): NodeTrust => new NotedTrust().trustOf(restartQuarantine);

describe('NodeTrust, of the run of a node,', () => {
  it('claims none before the node has told of it', async () => {
    const trust = trustOf();
    expect(trust.run).toBe(NO_RUN);
    void trust.examine(new Connection(infoOf('abc')).redis);
    expect(trust.run).toBe(NO_RUN);
    await trust.examined;
    expect(trust.run).toEqual(bulk('abc'));
  });

  it('claims none on a new connection before the node has told of it there', async () => {
    const trust = trustOf();
    void trust.examine(new Connection(infoOf('abc')).redis);
    await trust.examined;
    void trust.examine(new Connection(new Promise<string>(() => undefined)).redis);
    expect(trust.run).toBe(NO_RUN);
    void trust.examine(new Connection(infoOf('def')).redis);
    await trust.examined;
    expect(trust.run).toEqual(bulk('def'));
  });

  it('does not take word from a connection that is gone for word from the one that followed', async () => {
    const trust = trustOf();
    let tell: (info: string) => void = () => undefined;
    void trust.examine(new Connection(new Promise((resolve) => (tell = resolve))).redis);
    const first = trust.examined;
    void trust.examine(new Connection(new Promise<string>(() => undefined)).redis);
    tell(infoOf('abc'));
    await first;
    expect(trust.run).toBe(NO_RUN);
  });

  it('claims none where a new run may know scripts all the same', async () => {
    const trust = trustOf();
    void trust.examine(new Connection(infoOf('abc', '6.2.14')).redis);
    await trust.examined;
    expect([trust.run, trust.runId]).toEqual([NO_RUN, 'abc']);
  });

  it('makes the script known by a call that has the node checked, after looking at the marker', () => {
    const connection = new Connection(infoOf('abc'));
    void trustOf().examine(connection.redis);
    expect(connection.asked).toEqual([
      'INFO',
      'GET p:~node',
      'EXISTS p:~fence',
      expect.objectContaining({
        command: 'EVAL',
        operations: [],
        trust: expect.objectContaining({ check: 'c', run: '-' }),
      }),
    ]);
  });

  it('makes the script known by a call that checks nothing where restarts do not matter, and tells the time', () => {
    const connection = new Connection(infoOf('abc'));
    void trustOf(false).examine(connection.redis);
    const trust = expect.objectContaining({ check: 'n', run: '-' });
    expect(connection.asked.at(-1)).toEqual(expect.objectContaining({ command: 'EVAL', operations: [], trust }));
  });
});
