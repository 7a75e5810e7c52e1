import { access, readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Inject,
  Injectable,
  Post,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CanActivate,
  type ModuleMetadata,
  type NestInterceptor,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockService, WithLock } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  RedlockClosedError,
  ResourceLockedError,
} from '../../../lib/engine/errors.js';
import { errorReply } from '../../../lib/with-lock/reply/error-reply.js';
import { diagramsOf, Flowchart } from '../../support/nest/page-diagrams.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { Trail } from '../../support/nest/trail.js';
import { PastedCode, removePasted } from '../../support/pasted-code.js';
import { READERS_APPLICATION } from '../../support/readers-application.js';
import { codeBlocks } from '../../support/readme.js';

const page = await readFile('docs/guides/with-lock.md', 'utf8');
const [pipeline = '', transactions = ''] = diagramsOf(page);

const code = [...codeBlocks(page), ...READERS_APPLICATION];

const modules: TestingModule[] = [];

afterEach(async () => {
  await Promise.all([closeApps(), ...modules.splice(0).map((module) => module.close())]);
  await removePasted();
});

async function compile(metadata: ModuleMetadata): Promise<TestingModule> {
  const module = await Test.createTestingModule(metadata).compile();
  modules.push(module);
  return module;
}

type Service = Record<string, (...args: unknown[]) => Promise<void>>;

/** Runs a class of the page in an application with locks in memory; `steps` has what it does, and what happens to its locks. */
async function run(file: string, name: string): Promise<{ service: Service; steps: string[] }> {
  const pasted = await PastedCode.write(code);
  const { [name]: Class } = await pasted.run<Record<string, Type>>(file);
  const { Users } = await pasted.run<{ Users: Type }>('users.ts');
  const { steps } = await pasted.run<{ steps: string[] }>('steps.ts');
  const module = await compile({ imports: [RedlockTestingModule.forRoot()], providers: [Class!, Users] });
  const words: Record<string, string> = { acquired: 'lock', released: 'release' };
  module.get(RedlockService).events$.subscribe(({ type }) => steps.push(words[type] ?? type));
  return { service: module.get<Service>(Class!), steps };
}

describe('docs/guides/with-lock.md', () => {
  // `test/e2e/pages-code.spec.ts` compiles the code.
  it('names the file of each block of code', () => {
    expect(codeBlocks(page).map(({ file }) => file)).toEqual([
      'users.controller.ts',
      'users.service.ts',
      'app.module.ts',
      'names.service.ts',
    ]);
    expect(page.match(/```ts\n/g)).toHaveLength(4);
  });

  it('shows where a transaction commits: before the release, or after it', async () => {
    const { service, steps } = await run('users.service.ts', 'UsersService');
    await service['register']!({ email: 'a@b.example' });
    expect(steps.splice(0)).toEqual(new Flowchart(transactions).way('r1').slice(1));
    await service['race']!({ email: 'a@b.example' });
    expect(steps).toEqual(new Flowchart(transactions).way('w1').slice(1));
  });

  it('has an inner method that takes a lock, except under the lock of the outer one', async () => {
    const { service, steps } = await run('names.service.ts', 'NamesService');
    await service['reset']!('7');
    expect(steps.splice(0)).toEqual(['lock', '7 is unnamed', 'release']);
    await service['rename']!('7', 'Ann');
    expect(steps).toEqual(['lock', '7 is Ann', 'release']);
  });

  it('has a module that makes exceptions for messages, and leaves all others as they are', async () => {
    const pasted = await PastedCode.write(code);
    const { AppModule } = await pasted.run<{ AppModule: Type }>('app.module.ts');
    const imports = [AppModule, RedlockTestingModule.forRoot()];
    const module = await compile({ imports });
    const { exceptionFactory } = module.get(RedlockService, { strict: false });
    const made = (kind: string): unknown =>
      exceptionFactory!(new RedlockClosedError(), { getType: () => kind } as never);
    expect(made('rpc')).toMatchObject({ error: { code: 'CLOSED', id: 'E17' } });
    expect([made('http'), exceptionFactory!(new RedlockClosedError(), undefined)]).toEqual([undefined, undefined]);
  });

  it('says what clients see of every error', () => {
    const errors = [
      new ResourceLockedError(['a'], 1_000, []),
      new QuorumNotReachedError(['a'], [], 'all nodes are down'),
      new RedlockClosedError(),
      new LockKeyError('there is none'),
      new LockLostError(['a'], 'nodes', 'it was taken away'),
    ];
    const rows = [...page.matchAll(/^\| .+ \| (\d{3})(, `Retry-After`)? +\| `([A-Z_]+)` +\|$/gm)];
    expect(rows.map(([, status, retryAfter, told]) => [Number(status), retryAfter !== undefined, told])).toEqual(
      errors.map((error) => {
        const { status, retryAfter, code: told } = errorReply(error)!;
        return [status, retryAfter !== undefined, told];
      }),
    );
  });
});

const STEPS = {
  guard: 'guards',
  app: 'interceptors of app, controller',
  method: 'interceptors of method',
  pipe: 'pipes',
};

/** The steps that a request takes, as the page calls them. */
abstract class Tracing {
  constructor(@Inject(Trail) protected readonly trail: Trail) {}
}

@Injectable()
class Guard extends Tracing implements CanActivate {
  canActivate(): boolean {
    return this.trail.steps.push(STEPS.guard) > 0;
  }
}

@Injectable()
class Pipe extends Tracing implements PipeTransform {
  transform(value: unknown): unknown {
    this.trail.steps.push(STEPS.pipe);
    return value;
  }
}

function interceptorCalled(step: string): Type<NestInterceptor> {
  @Injectable()
  class Interceptor extends Tracing implements NestInterceptor {
    intercept(...[, next]: Parameters<NestInterceptor['intercept']>): ReturnType<NestInterceptor['intercept']> {
      this.trail.steps.push(step);
      return next.handle();
    }
  }
  return Interceptor;
}

const OnApp = interceptorCalled(STEPS.app);
const OnController = interceptorCalled(STEPS.app);
const OnMethod = interceptorCalled(STEPS.method);

@Controller()
@UseGuards(Guard)
@UsePipes(Pipe)
@UseInterceptors(OnController)
class Handlers extends Tracing {
  @Post('request')
  @UseInterceptors(OnMethod)
  @WithLock('user:<body.x>')
  async byRequest(@Body() _body: object): Promise<void> {
    this.trail.steps.push('method');
  }

  @Post('argument')
  @WithLock('user:<0.x>')
  @UseInterceptors(OnMethod)
  async byArgument(@Body() _body: object): Promise<void> {
    this.trail.steps.push('method');
  }
}

describe('the request in docs/guides/with-lock.md', () => {
  it.each([
    ['request', 'body.x'],
    ['argument', '0.x'],
  ])('goes the way of the diagram, with its lock at the same place: %s', async (path, choice) => {
    const app = await TestApp.start(
      'Express',
      { imports: [RedlockTestingModule.forRoot()], controllers: [Handlers], providers: [Trail, OnApp] },
      (nest) => nest.useGlobalInterceptors(nest.get(OnApp)),
    );
    const { steps } = app.app.get(Trail);
    expect(await app.post(path, { x: '7' })).toMatchObject({ status: 201 });
    const taken = steps.map((step) => (step === 'acquired' ? 'lock' : step));
    const once = taken.filter((step, index) => step !== taken[index - 1] && step !== 'released');
    expect(['request', ...once]).toEqual(new Flowchart(pipeline).way('q', choice));
    expect(taken.at(-1)).toBe('released');
  });
});

/** The tests that prove what each section says. */
const PROOFS: Record<string, readonly string[]> = {
  'What the lock covers': ['pipeline', 'in-process', 'blocking', 'next-request'],
  'The order of decorators': ['decorators', 'routes', 'schedule', 'event-emitter'],
  Transactions: ['transactions'],
  'Answers before the work is done': ['early-answers', 'disconnect', 'websocket.ws'],
  'What a locked method returns': ['esbuild', 'test/unit/with-lock/locked-method.kinds'],
  'Inheritance and class members': ['inheritance', 'scopes', 'test/unit/with-lock/with-lock.decorator.refusals'],
  'GraphQL, microservices, WebSockets, streams': [
    'graphql',
    'microservice.tcp',
    'microservice.redis',
    'websocket.socket-io',
    'websocket.ws',
    'sse',
    'test/unit/with-lock/redlock.interceptor.kinds',
  ],
  'What clients see': ['errors', 'graphql.errors', 'filters', 'microservice.hybrid', 'key-answers'],
  'Locks within locks': ['reentry', 'reentry.unsaid', 'test/integration/core/deadlock'],
};

describe('the sections of docs/guides/with-lock.md', () => {
  it('are all proved by tests that are there', async () => {
    const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
    expect(sections).toEqual(Object.keys(PROOFS));
    const names = Object.values(PROOFS).flat();
    const paths = names.map((name) => `${name.includes('/') ? name : `test/e2e/nest/${name}`}.spec.ts`);
    await expect(Promise.all(paths.map((path) => access(path)))).resolves.toHaveLength(paths.length);
  });
});
