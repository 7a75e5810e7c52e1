import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { asked } from '../../support/command-line.js';
import { withRedis } from '../../support/redis-client.js';
import { foundOn, setUser, sickNodes } from '../../support/sick-nodes.js';

const nodes = sickNodes();

describe('nestjs-redlock doctor, about the rights of users', () => {
  it.each([
    ['HSET', '-hset'],
    ['SUBSCRIBE', '-subscribe'],
    ['PUBSUB', '-pubsub|numsub'],
    ['EVALSHA', '-evalsha'],
    ['INFO', '-info'],
  ])('finds that the user of the locks may not run %s', async (command, right) => {
    const server = await nodes.sick();
    const all = ['on', '>secret', '~*', '&*', '+@all'];
    await Promise.all([
      ...nodes.well.map(({ url }) => setUser(url, 'locks', ...all)),
      setUser(server.url, 'locks', ...all, right),
    ]);
    const found = await nodes.examine(server, '--acl-user', 'locks');
    expect(foundOn(found, server)).toEqual(['rights: error']);
    expect(found.findings[0]!.what).toMatch(new RegExp(`user "locks" is not allowed: ${command} \\(`));
    expect(found.code).toBe(1);
  });

  it('finds a channel and a key that the user may not use', async () => {
    const server = await nodes.sick();
    const rules = ['on', '>secret', '~order:*', 'resetchannels', '+@all'];
    await Promise.all([...nodes.well, server].map(({ url }) => setUser(url, 'locks', ...rules)));
    const { findings } = await nodes.examine(server, '--acl-user', 'locks');
    expect(findings).toHaveLength(3);
    expect(findings[0]!.what).toMatch(/GET \(.*PUBLISH \(.*channel/);
  });

  it('needs no rights but those of the locks and the few that its page lists', async () => {
    const server = await nodes.sick();
    const rightsIn = (page: string) =>
      /ACL SETUSER \w+ (.*?)```/s
        .exec(readFileSync(`docs/operate/${page}.md`, 'utf8'))![1]!
        .trim()
        .split(/\s+/);
    const rules = [...rightsIn('redis'), ...rightsIn('cli')];
    await setUser(server.url, 'operator', ...rules);
    await withRedis(server.url, (redis) => redis.acl('LOG', 'RESET'));
    const url = server.url.replace('//', '//operator:secret@');
    const all = [...nodes.well, { url }];
    expect(await nodes.examine({ url })).toMatchObject({ code: 0, findings: [] });
    await withRedis(server.url, (redis) => redis.hset('lock:hash', 'a', '1'));
    expect(await asked(all, 'ls')).toMatchObject({ locks: [{ kind: 'a hash: Redisson?' }] });
    expect(await asked(all, 'break', 'a', '--yes', '--value', 'x')).toMatchObject({ code: 3 });
    expect(await withRedis(server.url, (redis) => redis.acl('LOG'))).toEqual([]);
  });

  it('says that it cannot tell where its own user may not ask for rights', async () => {
    const server = await nodes.sick();
    await setUser(server.url, 'plain', 'on', '>secret', '~*', '&*', '+@all', '-acl');
    const url = server.url.replace('//', '//plain:secret@');
    const found = await nodes.examine({ url });
    expect(foundOn(found, server)).toEqual(['rights: advice']);
    expect(found.code).toBe(0);
  });
});
