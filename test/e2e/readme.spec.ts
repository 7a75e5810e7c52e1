import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { AddressInfo } from 'node:net';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks, complaintsAbout, README } from '../support/readme.js';
import { startRedisServer } from '../support/redis-server.js';

const [FIRST_SCREEN = ''] = README.match(/(?<=```ts\n)@Post.*?(?=```)/s) ?? [];
const DECORATOR = "  @WithLock('user:<body.email|trim|lower>')\n";

afterEach(removePasted);

/** The code of `main.ts`, changed so that the test gets the application and any free port. */
function firstLock(): string {
  const main = codeBlocks().find(({ file }) => file === 'main.ts')!.code;
  return main
    .replace('void bootstrap();', 'export const app = bootstrap();')
    .replace(/listen\(.*\);/, 'listen(0);\n  return app;');
}

async function start(code: string): Promise<INestApplication> {
  const pasted = await PastedCode.write([{ file: 'main.ts', code }]);
  const { app } = await pasted.run<{ app: Promise<INestApplication> }>('main.ts');
  return app;
}

/** What the two `curl` lines of the page are answered, the first answer first. */
async function sendTwice(app: INestApplication): Promise<unknown[]> {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const emails = [...README.matchAll(/^curl -d (email=\S+) localhost:3000\/users/gm)].map(([, email]) => email!);
  expect(emails).toHaveLength(2);
  const answers: unknown[] = [];
  const send = async (email: string): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/users`, {
      method: 'POST',
      body: new URLSearchParams(email),
    });
    const body = (await response.json()) as { message?: string };
    answers.push(`${response.status} ${body.message ?? JSON.stringify(body)}`);
  };
  await Promise.all(emails.map(send));
  return answers;
}

/** The answers that the table below the `curl` lines promises. */
function promised(row: string): string[] {
  const [, first, second] = README.split('\n')
    .find((line) => line.startsWith(`| ${row} `))!
    .split('|')
    .slice(1)
    .map((cell) => cell.replaceAll('`', '').trim());
  return [first!, second!];
}

async function withRedis(act: () => Promise<void>): Promise<void> {
  const node = await startRedisServer();
  process.env['REDIS_URL'] = node.url;
  try {
    await act();
  } finally {
    await node.stop();
  }
}

describe('the README', () => {
  it('shows a handler with its lock before anything else, in at most eight lines', () => {
    expect(FIRST_SCREEN.trimEnd().split('\n').length).toBeLessThanOrEqual(8);
    expect(README.slice(0, README.indexOf('@Post()')).split(/\s+/).length).toBeLessThan(60);
  });

  it('has a file name in each other block of code', () => {
    expect(codeBlocks().map(({ file }) => file)).toEqual(['main.ts', 'orders.controller.ts', 'payouts.service.ts']);
    expect(README.match(/```ts\n/g)).toHaveLength(4);
  });

  // In one program, since the types of Nest take seconds to load.
  it('has a handler that compiles, and would notice one that does not', () => {
    const imports =
      "import { Body, ConflictException, Post } from '@nestjs/common';\nimport { WithLock } from 'nestjs-redlock';\n";
    const types =
      'interface RegisterDto { email: string }\ninterface Users { exists(email: string): Promise<boolean>; insert(body: RegisterDto): Promise<object> }\n';
    const code = `${imports}${types}export class C { users!: Users;\n${FIRST_SCREEN}}`;
    const wrong = { file: 'wrong.ts', code: "import { WithLok } from 'nestjs-redlock';\nexport default WithLok;" };
    expect(complaintsAbout([{ file: 'first-screen.ts', code }, wrong])).toEqual([
      expect.stringMatching(/wrong\.ts: .*WithLok/),
    ]);
  });

  it('has a first lock on one Redis that registers a user once when pasted', () =>
    withRedis(async () => {
      const app = await start(firstLock());
      expect(await sendTwice(app)).toEqual(promised('as above'));
      await app.close();
    }));

  it('shows what happens without the decorator: the same first lock registers the user twice', () =>
    withRedis(async () => {
      expect(firstLock()).toContain(DECORATOR);
      const app = await start(firstLock().replace(DECORATOR, ''));
      expect(await sendTwice(app)).toEqual(promised('without the line `@WithLock`'));
      await app.close();
    }));

  it('stays readable in one go', () => {
    expect(README.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1_000);
  });
});

describe('the README', () => {
  it('says in its module what keeps new nodes out of the vote', () => {
    const modules = codeBlocks().filter(({ code }) => code.includes('RedlockModule.forRoot'));
    expect(modules.map(({ file }) => file)).toEqual(['main.ts']);
    for (const { code } of modules) expect(code).toMatch(/ restartQuarantine: .+ === 'production',/);
  });
});
