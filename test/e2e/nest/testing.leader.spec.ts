import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Leader, RedlockModule, RedlockService, WithLock, type Term } from 'nestjs-redlock';
import { RedlockTesting, RedlockTestingModule } from 'nestjs-redlock/testing';
import { CLOSED_PORTS } from '../../support/nest/nodes.js';

@Injectable()
class Bot {
  isLaunched = false;
  readonly terms: Term[] = [];

  @Leader('telegram-bot')
  run(term: Term): () => void {
    this.terms.push(term);
    this.isLaunched = true;
    return () => void (this.isLaunched = false);
  }
}

@Injectable()
class Exports {
  @WithLock('export:<0>', { limit: 3, onContended: 'reject' })
  async export(_region: string): Promise<string> {
    return 'exported';
  }
}

/** An application that knows nothing of tests, and whose nodes are not there. */
@Module({
  imports: [RedlockModule.forRoot({ nodes: CLOSED_PORTS.map(({ url }) => url) })],
  providers: [Bot, Exports],
})
class AppModule {}

describe.each(['manual', 'real'] as const)('an application with a leader, under test with a %s clock,', (clock) => {
  let module: TestingModule;
  let testing: RedlockTesting;
  let bot: Bot;

  beforeEach(async () => {
    const imports = [AppModule, RedlockTestingModule.forRoot({ clock })];
    module = await Test.createTestingModule({ imports }).compile();
    module.useLogger(false);
    [testing, bot] = [module.get(RedlockTesting), module.get(Bot)];
  });
  afterEach(() => module.close());

  it('leads, is deposed and is elected at will', async () => {
    await expect(testing.elect('telegram-bot')).rejects.toThrow('Campaigns begin with app.init()');
    await module.init();
    await testing.elect('telegram-bot');
    expect(bot.isLaunched).toBe(true);
    await testing.depose('telegram-bot');
    expect([bot.isLaunched, await bot.terms[0]!.ended]).toEqual([false, 'lost']);
    expect((await module.get(RedlockService).leader('telegram-bot'))?.holder).toBe('another@replica#1');
    await testing.elect('telegram-bot');
    expect([bot.isLaunched, bot.terms.length]).toEqual([true, 2]);
    await module.close();
    expect([bot.isLaunched, await bot.terms[1]!.ended]).toEqual([false, 'shutdown']);
  });

  it('shuts down while another replica leads', async () => {
    testing.hold('leader:telegram-bot');
    await module.init();
    await testing.untilWaiting('leader:telegram-bot');
    await module.close();
    expect(bot.terms).toEqual([]);
  });

  it('finds the slots taken that another replica has', async () => {
    await module.init();
    const exports = module.get(Exports);
    const held = testing.hold('export:eu', { limit: 3, slots: 2 });
    expect(await exports.export('eu')).toBe('exported');
    testing.hold('export:eu', { limit: 3, slots: 1 });
    await expect(exports.export('eu')).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    held.release();
    expect(await exports.export('eu')).toBe('exported');
  });
});
