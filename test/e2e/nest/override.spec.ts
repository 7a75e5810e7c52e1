import { afterEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InjectRedlock, RedlockService, WithLock, type Lock } from 'nestjs-redlock';
import { NEVER, Observable, of } from 'rxjs';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { StubService } from '../../support/nest/stub-service.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';

@Injectable()
class Reports {
  constructor(@InjectRedlock() private readonly redlock: RedlockService) {}

  @WithLock('method:<0>')
  async write(id: string): Promise<string[]> {
    return this.redlock.withLock([`service:${id}`], async ({ resources }: Lock) => [...resources]);
  }
}

@Controller()
class Orders {
  constructor(@Inject(Reports) private readonly reports: Reports) {}

  @Post('stream')
  @WithLock('handler:<body.id>')
  stream(@Body('id') id: string): Observable<string> {
    return of(id);
  }

  @Post()
  @WithLock('handler:<body.id>')
  create(@Body('id') id: string): Promise<string[]> {
    return this.reports.write(id);
  }
}

class StubRedlock extends StubService {
  readonly events$ = NEVER;
}

/** The least that a test double has to do. */
const bare = {
  events$: NEVER,
  withLock: async (_resource: unknown, work: (lock: object) => unknown) => work({ resources: ['bare'] }),
};

describe.each(PLATFORMS)('a service that a test puts in the place of the real one, on %s', (platform) => {
  const start = (double: object): Promise<TestApp> => {
    // No node can be reached: a call of the real service would fail.
    const builder = Test.createTestingModule({
      imports: [poolOn(CLOSED_PORTS)],
      controllers: [Orders],
      providers: [Reports],
    });
    return TestApp.build(platform, builder.overrideProvider(RedlockService).useValue(double));
  };

  afterEach(closeApps);

  it('is what handlers, methods and injected services lock with', async () => {
    const stub = new StubRedlock();
    const app = await start(stub);
    expect(await app.post('', { id: '7' })).toMatchObject({ status: 201, body: ['service:7'] });
    expect(stub.calls.map(({ resources }) => resources)).toEqual([['handler:7'], ['method:7'], ['service:7']]);
    expect(stub.held).toBe(0);
  });

  it('may be a function that runs the work', async () => {
    const app = await start(bare);
    expect(await app.post('', { id: '7' })).toMatchObject({ status: 201, body: ['bare'] });
    expect(await app.post('stream', { id: '7' })).toMatchObject({ status: 201, body: 7 });
  });
});
