import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockService } from '../../lib/redlock.service.js';
import { RedlockTestingModule } from '../../lib/testing/redlock-testing.module.js';
import { RedlockTesting } from '../../lib/testing/redlock-testing.js';
import type { RedlockTestingOptions } from '../../lib/testing/redlock-testing.options.js';

/** A pool under test, whose clock the test moves, and the service by which an application locks there. */
export class TestedPool {
  readonly testing: RedlockTesting;
  readonly service: RedlockService;

  private constructor(private readonly module: TestingModule) {
    this.testing = module.get(RedlockTesting);
    this.service = module.get(RedlockService);
  }

  static async start(options: RedlockTestingOptions = {}): Promise<TestedPool> {
    const imports = [RedlockTestingModule.forRoot({ clock: 'manual', ...options })];
    const module = await Test.createTestingModule({ imports }).compile();
    module.useLogger(false);
    return new TestedPool(module);
  }

  async close(): Promise<void> {
    await this.module.close();
  }
}

/** Says 'done' of work that succeeds, and by which code it fails where it does not. */
export function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? error,
  );
}
