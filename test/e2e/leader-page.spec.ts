import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModuleMetadata, Type } from '@nestjs/common';
import { type Candidate, type LockEvent, RedlockService } from 'nestjs-redlock';
import { readFileSync } from 'node:fs';
import { breakLock } from '../support/recipes/break-lock.js';
import { EventLog } from '../support/nest/event-log.js';
import { poolOn } from '../support/nest/nodes.js';
import { closeApps, TestApp } from '../support/nest/test-app.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll, type RedisServer } from '../support/redis-server.js';

const FILE = 'docs/guides/leader.md';
const PAGE = readFileSync(FILE, 'utf8');
const BLOCKS = codeBlocks(PAGE);
const CANDIDATE = readFileSync('lib/leader/candidate.ts', 'utf8');

interface Health {
  bot(): Promise<string>;
}

interface FeedService {
  readonly candidate: Candidate;
}

/** The default of an option, as its doc comment has it and as the page writes numbers. */
function defaultOf(option: string): string {
  const [, value] = new RegExp(`@default ([\\d_]+)[^\\n]*\\n  ${option}\\?:`).exec(CANDIDATE)!;
  return value!.replaceAll('_', ',');
}

describe(FILE, () => {
  it('has the code that is run here', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual(['bot.runner.ts', 'feed.service.ts', 'health.service.ts']);
    expect(PAGE.match(/```ts\n/g)).toHaveLength(BLOCKS.length);
  });

  it('names the defaults, the ends of a term and the pauses', () => {
    expect(PAGE).toContain(`at most \`ttl\` (${defaultOf('ttl')} ms)`);
    expect(PAGE).toContain(`\`stopTimeout\` (${defaultOf('stopTimeout')} ms)`);
    const events = readFileSync('lib/engine/events.ts', 'utf8');
    const [, ends] = /type TermEnd = (.+);/.exec(events)!;
    const row = PAGE.split('\n').find((line) => line.startsWith('| `ended` '))!;
    expect([...row.matchAll(/'(\w+)'/g)].map(([, end]) => end)).toEqual(
      [...ends!.matchAll(/'(\w+)'/g)].map(([, end]) => end),
    );
    expect(CANDIDATE).toMatch(/FIRST_PAUSE = 1_000;\nconst LONGEST_PAUSE = 30_000;/);
    expect(PAGE).toContain('1 s, 2 s, 4 s, up to 30 s');
  });
});

describe(`an application with the code of ${FILE}`, () => {
  let servers: RedisServer[];
  /** What the bots and the feeds of both replicas did, in order. */
  const done: string[] = [];

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });

  afterEach(async () => {
    await closeApps();
    await removePasted();
    done.length = 0;
  });

  afterAll(() => stopAll());

  const start = async (): Promise<{ readonly apps: [TestApp, TestApp]; readonly Page: Record<string, Type> }> => {
    const pasted = await PastedCode.write(BLOCKS);
    const files = await Promise.all(BLOCKS.map(({ file }) => pasted.run<Record<string, Type>>(file)));
    const Page = Object.assign({}, ...files) as Record<string, Type>;
    let replicas = 0;
    const metadata = (): ModuleMetadata => {
      const replica = (replicas += 1);
      const bot = {
        launch: async () => void done.push(`launch ${replica}`),
        stop: async () => void done.push(`stop ${replica}`),
      };
      const feed = { poll: async (term: number) => void done.push(`poll ${replica} ${term}`) };
      return {
        imports: [poolOn(servers)],
        providers: [
          Page['BotRunner']!,
          Page['FeedService']!,
          Page['HealthService']!,
          { provide: Page['Bot']!, useValue: bot },
          { provide: Page['Feed']!, useValue: feed },
        ],
      };
    };
    const one = await TestApp.start('Express', metadata());
    await one.log.until('elected', undefined, 2);
    return { apps: [one, await TestApp.start('Express', metadata())], Page };
  };
  const termsOf = (log: EventLog): (LockEvent & { type: 'elected' })[] =>
    log.events.filter((event): event is LockEvent & { type: 'elected' } => event.type === 'elected');

  it('leads on one replica, which every replica can name, and passes both roles on at shutdown', async () => {
    const { apps, Page } = await start();
    const [one, two] = apps;
    const { term } = termsOf(one.log).find(({ name }) => name === 'telegram-bot')!;
    const health = two.app.get<Health>(Page['HealthService']!);
    expect(await health.bot()).toMatch(new RegExp(`^[\\w.-]+@[\\w.-]+#${process.pid} leads since .+Z, term ${term}$`));
    const candidates = apps.map(({ app }) => app.get<FeedService>(Page['FeedService']!).candidate);
    expect(candidates.map(({ isLeader }) => isLeader)).toEqual([true, false]);
    await one.close();
    await two.log.until('elected', undefined, 2);
    expect(done.filter((what) => !what.startsWith('poll'))).toEqual(['launch 1', 'stop 1', 'launch 2']);
    expect(candidates.map(({ isLeader }) => isLeader)).toEqual([false, true]);
    const later = termsOf(two.log).find(({ name }) => name === 'feed')!;
    expect(done).toContain(`poll 2 ${later.term}`);
    await two.close();
    expect(done.at(-1)).toBe('stop 2');
  });

  it('says that nobody leads, after both have gone', async () => {
    const { apps } = await start();
    await closeApps();
    const watcher = await TestApp.start('Express', { imports: [poolOn(servers)] });
    expect(await watcher.app.get(RedlockService).leader('telegram-bot')).toBeNull();
    expect(termsOf(apps[1].log)).toHaveLength(0);
  });

  it('resigns and stays a candidate, and loses a term whose lock is broken', async () => {
    const { apps, Page } = await start();
    const [one, two] = apps;
    await one.app.get<FeedService>(Page['FeedService']!).candidate.resign();
    await two.log.until('elected');
    await breakLock(servers, 'leader:feed');
    await two.log.until('deposed');
    expect(two.log.events).toContainEqual(expect.objectContaining({ type: 'deposed', name: 'feed', reason: 'lost' }));
    await one.log.until('elected', undefined, 3);
  });
});
