import type { Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Controller,
  Inject,
  Injectable,
  Param,
  Post,
  Scope,
  ServiceUnavailableException,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { HttpAdapterHost, ModuleRef, REQUEST } from '@nestjs/core';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { from, retry, switchMap, type Observable } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { sendWithin } from '../../support/nest/send-within.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';

interface Headers {
  readonly 'x-place'?: string;
  readonly 'x-id'?: string;
}

interface Request {
  readonly headers: Headers;
}

/** Sends the request that the headers of another one ask for to the same application, in the same process and async context. */
@Injectable()
class Within {
  replies: number[] = [];

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  async send(place: string, { headers }: Request, path: string): Promise<void> {
    if (headers['x-place'] !== place) return;
    const server = this.host.httpAdapter.getHttpServer() as Server;
    this.replies.push(await sendWithin(server, `/${path}/${headers['x-id']}`));
  }
}

const pathOf = (context: ExecutionContext): string => context.getHandler().name;

@Injectable()
class SendingInterceptor implements NestInterceptor {
  constructor(@Inject(Within) private readonly within: Within) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.within.send('interceptor', context.switchToHttp().getRequest<Request>(), pathOf(context))).pipe(
      switchMap(() => next.handle()),
    );
  }
}

@Injectable()
class SendingGuard implements CanActivate {
  constructor(@Inject(Within) private readonly within: Within) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.within.send('guard', context.switchToHttp().getRequest<Request>(), pathOf(context));
    return true;
  }
}

@Injectable({ scope: Scope.REQUEST })
class SendingPipe implements PipeTransform<string> {
  constructor(
    @Inject(Within) private readonly within: Within,
    @Inject(REQUEST) private readonly request: Request & { readonly url: string },
  ) {}

  async transform(id: string): Promise<string> {
    await this.within.send('pipe', this.request, this.request.url.split('/')[1]!);
    return id;
  }
}

const SHORT = { waitTimeout: 300 };

@Controller()
@UseGuards(SendingGuard)
class Transfers {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Within) private readonly within: Within,
    @Inject(REQUEST) private readonly request: Request,
  ) {}

  @Post('byRequest/:id')
  @UseInterceptors(SendingInterceptor)
  @WithLock('account:<params.id>', SHORT)
  async byRequest(@Param('id', SendingPipe) id: string): Promise<void> {
    await this.#transfer(id, 'byRequest');
  }

  @Post('byArgument/:id')
  @UseInterceptors(SendingInterceptor)
  @WithLock('account:<0>', SHORT)
  async byArgument(@Param('id', SendingPipe) id: string): Promise<void> {
    await this.#transfer(id, 'byArgument');
  }

  async #transfer(id: string, path: string): Promise<void> {
    await this.door.pass(id);
    await this.within.send('handler', this.request, path);
  }
}

describe.each(PLATFORMS)('a request that is handled within another one of the same route, on %s', (platform) => {
  let app: TestApp;
  let door: Door;
  let within: Within;

  beforeAll(async () => {
    app = await TestApp.start(platform, {
      imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true })],
      controllers: [Transfers],
      providers: [Door, Within],
    });
    door = app.app.get(Door);
    within = app.app.get(Within);
  });

  beforeEach(() => {
    door.reset();
    within.replies = [];
    app.log.clear();
  });

  afterAll(closeApps);

  const send = async (path: string, place: string, id: string): Promise<number> =>
    (await app.post(`${path}/1`, {}, { headers: { 'x-place': place, 'x-id': id } })).status;

  const PLACES = ['interceptor', 'pipe', 'guard', 'handler'];

  it.each(PLACES)('takes the lock of its own key, sent from the %s', async (place) => {
    expect([await send('byRequest', place, '2'), within.replies]).toEqual([201, [201]]);
    expect([[...app.log.acquired].sort(), [...door.visits].sort()]).toEqual([
      ['account:1', 'account:2'],
      ['1', '2'],
    ]);
  });

  it.each(PLACES)('takes the lock of its own argument, sent from the %s', async (place) => {
    expect([await send('byArgument', place, '2'), within.replies]).toEqual([201, [201]]);
    expect([...app.log.acquired].sort()).toEqual(['account:1', 'account:2']);
  });

  it.each(['interceptor', 'pipe', 'handler'])(
    'waits as every caller does if the outer one has the lock, sent from the %s',
    async (place) => {
      expect([await send('byRequest', place, '1'), within.replies]).toEqual([201, [409]]);
      expect([app.log.acquired, app.log.count('self-contended'), door.visits]).toEqual([['account:1'], 1, ['1']]);
    },
  );

  it('is excluded by another client that holds its key', async () => {
    const lock = await app.redlock.acquire('account:2');
    expect([await send('byRequest', 'interceptor', '2'), within.replies]).toEqual([201, [409]]);
    expect(door.visits).toEqual(['1']);
    await lock.release();
  });
});

/** Calls the method itself before Nest does, once for each id in a header. */
@Injectable()
class CallingInterceptor implements NestInterceptor {
  constructor(@Inject(ModuleRef) private readonly modules: ModuleRef) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    const accounts = this.modules.get(Accounts, { strict: false });
    const calls = headers['x-ids']!.split(',').map((id) => accounts[context.getHandler().name as 'byRequest'](id));
    return from(Promise.allSettled(calls)).pipe(switchMap(() => next.handle()));
  }
}

class Retrying implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(retry(2));
  }
}

let attempts = 0;

@Controller()
class Accounts {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('request/:id')
  @UseInterceptors(CallingInterceptor)
  @WithLock('account:<params.id>', SHORT)
  async byRequest(@Param('id') id: string): Promise<void> {
    await this.door.pass(id);
  }

  @Post('argument/:id')
  @UseInterceptors(CallingInterceptor)
  @WithLock('account:<0>', SHORT)
  async byArgument(@Param('id') id: string): Promise<void> {
    await this.door.pass(id);
  }

  @Post('failing/:id')
  @UseInterceptors(Retrying)
  @WithLock('account:<params.id>', SHORT)
  async failing(): Promise<string> {
    return this.#failOnce();
  }

  @Post('failing-reentrant/:id')
  @UseInterceptors(Retrying)
  @WithLock('account:<params.id>', { ...SHORT, reentrant: true })
  async failingReentrant(): Promise<string> {
    return this.#failOnce();
  }

  @Post('failing-argument/:id')
  @UseInterceptors(Retrying)
  @WithLock('account:<0>', SHORT)
  async failingByArgument(@Param('id') _id: string): Promise<string> {
    return this.#failOnce();
  }

  #failOnce(): string {
    attempts += 1;
    if (attempts === 1) throw new ServiceUnavailableException();
    return `attempt ${attempts}`;
  }
}

describe.each(PLATFORMS)('a method that an interceptor calls itself, on %s', (platform) => {
  let app: TestApp;
  let door: Door;

  beforeAll(async () => {
    app = await TestApp.start(platform, {
      imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true })],
      controllers: [Accounts],
      providers: [Door],
    });
    door = app.app.get(Door);
  });

  beforeEach(() => {
    attempts = 0;
    door.reset();
    app.log.clear();
  });

  afterAll(closeApps);

  const post = async (path: string, ids: string): Promise<number> =>
    (await app.post(`${path}/1`, {}, { headers: { 'x-ids': ids } })).status;

  it('runs under the lock of the request, and Nest runs it there afterwards', async () => {
    expect(await post('request', '1')).toBe(201);
    expect([app.log.acquired, app.log.count('self-contended'), door.visits]).toEqual([['account:1'], 0, ['1', '1']]);
  });

  it('never runs twice at the same time: a second call asks for the lock', async () => {
    expect(await post('request', '1,1')).toBe(201);
    expect([app.log.acquired, door.visits, door.most]).toEqual([['account:1'], ['1', '1'], 1]);
    expect(app.log.count('self-contended')).toBe(1);
  });

  it('takes the lock of every argument if its key is made of arguments', async () => {
    expect(await post('argument', '2,3')).toBe(201);
    expect([...app.log.acquired].sort()).toEqual(['account:1', 'account:2', 'account:3']);
  });

  it('waits for the lock of another caller if its key is made of arguments', async () => {
    const lock = await app.redlock.acquire('account:2');
    expect(await post('argument', '2,3')).toBe(201);
    expect(door.visits).toEqual(['3', '1']);
    await lock.release();
  });

  it.each([
    ['failing', ['account:1']],
    ['failing-reentrant', ['account:1']],
    ['failing-argument', ['account:1', 'account:1']],
  ])('runs again under the lock of the request, or under one of its argument: %s', async (path, acquired) => {
    expect(await app.post(`${path}/1`)).toMatchObject({ status: 201, body: 'attempt 2' });
    expect([app.log.acquired, app.log.count('self-contended')]).toEqual([acquired, 0]);
  });
});
