import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { RedlockService } from 'nestjs-redlock';
import { EventLog } from './event-log.js';
import { send, type Reply, type RequestOptions } from './http-client.js';

export type Platform = 'Express' | 'Fastify';
export const PLATFORMS: Platform[] = ['Express', 'Fastify'];

type Configure = (app: INestApplication) => void;

const running = new Set<TestApp>();

/** A real Nest application that listens, and a client of it. */
export class TestApp {
  private constructor(
    readonly app: INestApplication,
    readonly url: string,
    /** What its pool without a name tells, where it has one. */
    readonly log: EventLog,
  ) {}

  static start(platform: Platform, metadata: ModuleMetadata, configure?: Configure): Promise<TestApp> {
    return TestApp.build(platform, Test.createTestingModule(metadata), configure);
  }

  static async build(
    platform: Platform,
    builder: TestingModuleBuilder,
    configure: Configure = () => undefined,
  ): Promise<TestApp> {
    const module = await builder.compile();
    module.useLogger(false);
    const app: INestApplication =
      platform === 'Fastify'
        ? module.createNestApplication<NestFastifyApplication>(new FastifyAdapter())
        : module.createNestApplication();
    configure(app);
    const log = new EventLog(app.get(RedlockService).events$);
    await app.listen(0, '127.0.0.1');
    const started = new TestApp(app, await app.getUrl(), log);
    running.add(started);
    return started;
  }

  /** Two replicas: the same application twice. */
  static pair(platform: Platform, metadata: () => ModuleMetadata, configure?: Configure): Promise<[TestApp, TestApp]> {
    return Promise.all([
      TestApp.start(platform, metadata(), configure),
      TestApp.start(platform, metadata(), configure),
    ]);
  }

  get redlock(): RedlockService {
    return this.app.get(RedlockService);
  }

  get(path: string, options?: RequestOptions): Promise<Reply> {
    return send(`${this.url}/${path}`, options);
  }

  post(path: string, body: unknown = {}, options?: RequestOptions): Promise<Reply> {
    return send(`${this.url}/${path}`, { ...options, body });
  }

  async close(): Promise<void> {
    running.delete(this);
    await this.app.close();
  }
}

/** Closes whatever a test file started and did not close. */
export async function closeApps(): Promise<void> {
  await Promise.all([...running].map((app) => app.close()));
}
