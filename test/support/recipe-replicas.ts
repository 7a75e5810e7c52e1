import type { INestApplication, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { PastedCode, removePasted } from './pasted-code.js';
import { codeBlocks, type CodeBlock } from './readme.js';
import { startRedisServers, stopAll } from './redis-server.js';

/** The programs of a page, pasted beside each other, and two replicas of its application on three real nodes. */
export class RecipeReplicas {
  readonly #apps: INestApplication[] = [];

  private constructor(readonly pasted: PastedCode) {}

  /** @param blocks the programs, if they are not those of the page as they stand there */
  static async start(
    page: string,
    options: NestApplicationOptions = {},
    blocks: readonly CodeBlock[] = programsOf(page),
  ): Promise<RecipeReplicas> {
    const nodes = await startRedisServers(3);
    process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
    const replicas = new RecipeReplicas(await PastedCode.write(blocks));
    const { AppModule } = await replicas.pasted.run<{ AppModule: Type }>('app.module.ts');
    for (let count = 0; count < 2; count += 1) {
      const app = await NestFactory.create(AppModule, { ...options, logger: false, abortOnError: false });
      replicas.#apps.push(app);
      await app.listen(0, '127.0.0.1');
    }
    return replicas;
  }

  /** What the replicas have by this token. */
  all<T>(token: Type<T>): T[] {
    return this.#apps.map((app) => app.get(token));
  }

  /** The addresses of the two replicas. */
  urls(): Promise<string[]> {
    return Promise.all(this.#apps.map((app) => app.getUrl()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#apps.map((app) => app.close()));
    delete process.env['REDLOCK_NODES'];
    await removePasted();
    await stopAll();
  }
}

/** The TypeScript blocks of a page; each names its file in its first line. */
export function programsOf(page: string): CodeBlock[] {
  return codeBlocks(readFileSync(page, 'utf8'));
}
