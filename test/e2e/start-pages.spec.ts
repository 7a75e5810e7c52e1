import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';

const PAGE = readFileSync('docs/start/getting-started.md', 'utf8');
const API = join('docs', 'reference', 'api');
const DECORATOR = "  @WithLock('order:<body.cart>')\n";
const blocks = codeBlocks(PAGE).map(({ file, code }) => ({ file: file.replace('src/', ''), code }));

let node: RedisServer | undefined;
let app: INestApplication | undefined;

afterEach(async () => {
  await app?.close();
  await node?.stop();
  delete process.env['REDLOCK_NODES'];
  await removePasted();
});

/** The application of the page on a Redis of its own; `change` changes the controller. */
async function start(change: (code: string) => string): Promise<string> {
  node = await startRedisServer();
  process.env['REDLOCK_NODES'] = node.url;
  const pasted = await PastedCode.write(blocks.map(({ file, code }) => ({ file, code: change(code) })));
  const { AppModule } = await pasted.run<{ AppModule: Type }>('app.module.ts');
  app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0);
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return `http://127.0.0.1:${port}/orders`;
}

/** What two orders of one cart at the same moment are answered, the first answer first. */
async function orderTwice(url: string): Promise<string[]> {
  const answers: string[] = [];
  const order = async (): Promise<void> => {
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ cart: 'c1' }) });
    const body = (await response.json()) as { message?: string };
    answers.push(`${response.status} ${body.message ?? JSON.stringify(body)}`);
  };
  await Promise.all([order(), order()]);
  return answers;
}

function promised(row: string): string[] {
  const cells = PAGE.split('\n').find((line) => line.startsWith(`| ${row} `))!;
  return cells
    .split('|')
    .slice(2, 4)
    .map((cell) => cell.replaceAll('`', '').trim());
}

const quick = (code: string): string => code.replace('5_000', '300');

describe('docs/start/getting-started.md', () => {
  it('has the code that is run here', () => {
    expect(blocks.map(({ file }) => file)).toEqual(['app.module.ts', 'app.controller.ts']);
  });

  it('orders a cart once, as its table says', async () => {
    expect(await orderTwice(await start(quick))).toEqual(promised('as above'));
  });

  it('orders a cart twice without the decorator, as its table says', async () => {
    const url = await start((code) => quick(code).replace(DECORATOR, ''));
    expect(await orderTwice(url)).toEqual(promised('without the line `@WithLock`'));
  });
});

describe('docs/README.md', () => {
  it('leads to every page that a user reads', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const links = [...index.matchAll(/\]\(([^)#]+)/g)].map(([, link]) => join('docs', link!));
    const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .map((file) => join('docs', file))
      .filter((file) => file.endsWith('.md') && !file.startsWith('docs/bench') && dirname(file) !== API);
    expect(pages.filter((page) => !links.includes(page))).toEqual(['docs/README.md']);
    expect(links).toContain(`${API}/index.md`);
  });
});
