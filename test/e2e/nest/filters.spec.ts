import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Catch,
  Controller,
  Get,
  HttpException,
  Inject,
  Injectable,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
  type INestApplication,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, ExternalContextCreator, HttpAdapterHost } from '@nestjs/core';
import { RedlockError, WithLock } from 'nestjs-redlock';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';

/** Returns what it was given, so that the test sees which filter answered. */
abstract class TellingFilter implements ExceptionFilter {
  abstract readonly by: string;

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const code = error instanceof RedlockError ? error.code : 'other';
    const status = error instanceof HttpException ? error.getStatus() : 0;
    this.host.httpAdapter.reply(host.switchToHttp().getResponse(), { by: this.by, code, status }, 418);
  }
}

@Catch()
class CatchAll extends TellingFilter {
  readonly by = 'catch-all';
}

@Catch(RedlockError)
class CatchLocks extends TellingFilter {
  readonly by = 'locks';
}

@Catch(HttpException)
class CatchHttp extends TellingFilter {
  readonly by = 'http';
}

@Injectable()
class Payments {
  @WithLock('pay')
  async pay(): Promise<void> {}

  @WithLock('job:<0.id>', { onContended: 'reject' })
  async work(_job: { readonly id: string }): Promise<void> {}
}

@Controller()
class Orders {
  constructor(@Inject(Payments) private readonly payments: Payments) {}

  @Get('service')
  service(): Promise<void> {
    return this.payments.pay();
  }

  @Get('handler')
  @WithLock('pay')
  async handler(): Promise<void> {}

  @Get('filtered')
  @UseFilters(CatchLocks)
  filtered(): Promise<void> {
    return this.payments.pay();
  }
}

type Configure = (app: INestApplication) => void;

const globally =
  (Filter: new (host: HttpAdapterHost) => ExceptionFilter): Configure =>
  (app) =>
    app.useGlobalFilters(new Filter(app.get(HttpAdapterHost)));

const OWN: [string, string, Provider[], Configure?][] = [
  ['APP_FILTER for everything', 'catch-all', [{ provide: APP_FILTER, useClass: CatchAll }]],
  ['APP_FILTER for locks', 'locks', [{ provide: APP_FILTER, useClass: CatchLocks }]],
  ['useGlobalFilters for everything', 'catch-all', [], globally(CatchAll)],
  ['useGlobalFilters for locks', 'locks', [], globally(CatchLocks)],
];

describe.each(PLATFORMS)('exception filters on %s', (platform) => {
  // No node is ever reached, so that every lock fails.
  const start = (providers: Provider[], configure?: Configure): Promise<TestApp> => {
    const pool = poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } });
    return TestApp.start(
      platform,
      { imports: [pool], controllers: [Orders], providers: [Payments, ...providers] },
      configure,
    );
  };

  afterAll(closeApps);

  describe.each(OWN)('given by %s', (_name, by, providers, configure) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await start(providers, configure);
    });

    it('come before the one of this package', async () => {
      expect(await app.get('service')).toMatchObject({ status: 418, body: { by, code: 'QUORUM_NOT_REACHED' } });
    });

    it('come after a filter of the method', async () => {
      expect(await app.get('filtered')).toMatchObject({ status: 418, body: { by: 'locks' } });
    });
  });

  it('that catch HTTP exceptions see those of locked handlers', async () => {
    const app = await start([{ provide: APP_FILTER, useClass: CatchHttp }]);
    expect(await app.get('handler')).toMatchObject({ status: 418, body: { by: 'http', status: 503 } });
  });

  it('that catch HTTP exceptions leave the errors of locks to the one of this package', async () => {
    const app = await start([{ provide: APP_FILTER, useClass: CatchHttp }]);
    expect(await app.get('service')).toMatchObject({ status: 503, body: { code: 'QUORUM_NOT_REACHED' } });
  });

  it('leave the error of a method that a library calls, as if it were a handler of HTTP, to its caller', async () => {
    const { app } = await start([]);
    const payments = app.get(Payments);
    const work: Payments['work'] = app
      .get(ExternalContextCreator)
      .create(payments, payments.work as () => unknown, 'work');
    const error: unknown = await work({ id: '7' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RedlockError);
    expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED' });
  });

  it('answer once where there are several pools', async () => {
    const pools = ['a', 'b'].map((name) => poolOn(CLOSED_PORTS, { name }));
    const app = await TestApp.start(platform, {
      imports: [poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } }), ...pools],
      controllers: [Orders],
      providers: [Payments],
    });
    expect(await app.get('service')).toMatchObject({ status: 503, body: { code: 'QUORUM_NOT_REACHED' } });
  });
});
