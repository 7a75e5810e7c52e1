import type { INestApplication, INestMicroservice, LoggerService, ModuleMetadata } from '@nestjs/common';
import {
  ClientProxyFactory,
  type ClientProxy,
  type ClientOptions,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { RedlockService } from 'nestjs-redlock';
import { lastValueFrom, toArray } from 'rxjs';
import { EventLog } from './event-log.js';

/** How a microservice comes to be: on its own, or beside an HTTP application, with or without what holds for that. */
export type Mode = 'alone' | 'beside' | 'inheriting';

/** All that a client was answered, or the error that it got instead. */
export interface RpcReply {
  readonly values?: unknown[];
  readonly error?: unknown;
}

/** What was logged, by its level. */
export interface Logged {
  readonly level: string;
  readonly message: unknown;
}

export interface MicroserviceSettings {
  readonly options: MicroserviceOptions;
  readonly mode?: Mode;
}

const running = new Set<{ close(): Promise<unknown> | void }>();

/** A real Nest microservice that listens. */
export class TestMicroservice {
  /** By all of them: Nest has one logger for the whole process. */
  static readonly logged: Logged[] = [];

  private constructor(
    private readonly app: INestApplication | INestMicroservice,
    private readonly service: INestMicroservice,
  ) {
    running.add(app);
  }

  static async start(metadata: ModuleMetadata, { options, mode = 'alone' }: MicroserviceSettings) {
    const module = await Test.createTestingModule(metadata).compile();
    module.useLogger(logInto(TestMicroservice.logged));
    if (mode === 'alone') {
      const service = module.createNestMicroservice(options);
      await service.listen();
      return new TestMicroservice(service, service);
    }
    const app = module.createNestApplication();
    const service = app.connectMicroservice(options, { inheritAppConfig: mode === 'inheriting' });
    await app.startAllMicroservices();
    await app.listen(0, '127.0.0.1');
    return new TestMicroservice(app, service);
  }

  /** Of its TCP server. */
  get port(): number {
    return this.service.unwrap<{ address(): { port: number } }>().address().port;
  }

  get redlock(): RedlockService {
    return this.app.get(RedlockService);
  }

  /** What its pool tells from now on. */
  follow(): EventLog {
    return new EventLog(this.redlock.events$);
  }
}

/** A client that is closed with all the others. */
export async function connectClient(options: ClientOptions): Promise<ClientProxy> {
  const client = ClientProxyFactory.create(options);
  await client.connect();
  running.add(client);
  return client;
}

/** Sends a message, and waits for the end of the answer. */
export async function ask(client: ClientProxy, pattern: string, data: unknown): Promise<RpcReply> {
  try {
    return { values: await lastValueFrom(client.send<unknown>(pattern, data).pipe(toArray())) };
  } catch (error) {
    return { error };
  }
}

/** Closes what a test file started, the last one first. */
export async function closeMicroservices(): Promise<void> {
  for (const one of [...running].reverse()) {
    running.delete(one);
    await one.close();
  }
}

function logInto(logged: Logged[]): LoggerService {
  const at = (level: string) => (message: unknown) => void logged.push({ level, message });
  return { log: at('log'), error: at('error'), warn: at('warn') };
}
