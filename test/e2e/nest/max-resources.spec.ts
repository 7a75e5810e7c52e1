import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Logger, Post, type Type } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { closeApps, TestApp } from '../../support/nest/test-app.js';

interface Items {
  readonly ids: string[];
}

const TEMPLATES = Array.from({ length: 65 }, (_, index) => `item:<body.id>:${index}`);

@Controller()
class ItemsController {
  @Post('function')
  @WithLock(({ ids }: Items) => ids.map((id) => `item:${id}`))
  async byFunction(@Body() { ids }: Items): Promise<number> {
    return ids.length;
  }
}

@Controller()
class TemplatesController {
  @Post('templates')
  @WithLock(TEMPLATES)
  async byTemplates(): Promise<number> {
    return TEMPLATES.length;
  }
}

describe('maxResources', () => {
  const start = (maxResources?: number, more: Type[] = [TemplatesController]): Promise<TestApp> => {
    const options = maxResources === undefined ? {} : { maxResources };
    return TestApp.start('Express', {
      imports: [RedlockTestingModule.forRoot(options)],
      controllers: [ItemsController, ...more],
    });
  };
  const items = (count: number): Items => ({ ids: Array.from({ length: count }, (_, index) => `${index}`) });

  afterEach(() => closeApps());

  it('is 64 for the keys that one handler may lock at once', async () => {
    await expect(start()).rejects.toThrow(
      '@WithLock on TemplatesController.byTemplates: a lock takes at most 64 keys; got 65 [REDLOCK_E10]',
    );
    const app = await start(undefined, []);
    expect(await app.post('function', items(64))).toMatchObject({ status: 201 });
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    // A limit of the server is no mistake of the client.
    expect(await app.post('function', items(65))).toMatchObject({ status: 500 });
    expect(logged.mock.calls.flat().map(String).join()).toContain('at most 64 resources');
    logged.mockRestore();
  });

  it('can be set', async () => {
    const app = await start(65);
    expect(await app.post('templates', { id: 7 })).toMatchObject({ status: 201 });
    expect(await app.post('function', items(66))).toMatchObject({ status: 500 });
  });

  it('is bounded itself', () => {
    expect(() => RedlockTestingModule.forRoot({ maxResources: 129 })).toThrow(/maxResources.*from 1 to 128; got 129/);
  });
});
