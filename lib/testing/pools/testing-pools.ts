import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { SystemClock } from '../../engine/system-clock.js';
import type { RedlockService } from '../../redlock.service.js';
import type { PoolMaker } from '../../start-up/pool-names.js';
import { ManualClock } from '../manual-clock.js';
import { PoolInMemory } from './pool-in-memory.js';
import { type PoolOptions, poolOptionsOf, type RedlockTestingOptions } from '../redlock-testing.options.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { coded } from '../../engine/codes.js';

type Name = string | undefined;

/** All pools of one application under test, and the clock that they share. */
export class TestingPools implements PoolMaker, OnModuleInit, OnModuleDestroy {
  readonly #logger = new SafeLogger('RedlockTestingModule');
  readonly #pools = new Map<Name, PoolInMemory>();
  readonly #onMade = new Map<Name, (service: RedlockService) => void>();
  readonly #manual: ManualClock | undefined;
  readonly #real = new SystemClock();

  constructor(private readonly options: RedlockTestingOptions) {
    this.#manual = options.clock === 'manual' ? new ManualClock() : undefined;
  }

  /** Makes a service of a pool; the options of the test override those of the application. */
  make(name: Name, theirs: PoolOptions): RedlockService {
    const ours = poolOptionsOf(this.options);
    const defaults = { ...theirs.defaults, ...ours.defaults };
    // What the application says is for its nodes on Redis: a test that does not ask for a wait begins at once.
    const options: PoolOptions = { ...theirs, ...ours, defaults, waitForQuorum: ours.waitForQuorum ?? false };
    const service = this.#poolFor(name, options.maxTtl).serve(options);
    this.#onMade.get(name)?.(service);
    return service;
  }

  /** Resolves with the service of a pool that the application registers, once the application has done so. */
  registered(name: Name): Promise<RedlockService> {
    const service = this.#pools.get(name)?.services[0];
    return service ? Promise.resolve(service) : new Promise((resolve) => this.#onMade.set(name, resolve));
  }

  /** @throws Error if there is no such pool */
  get(name: Name): PoolInMemory {
    const pool = this.#pools.get(name);
    if (pool) return pool;
    const named = [...this.#pools.keys()].filter((key) => key !== undefined);
    const known = named.length > 0 ? `the named ones are ${named.join(', ')}` : 'none has a name';
    throw new Error(`There is no pool ${name === undefined ? 'without a name' : `"${name}"`}; ${known}`);
  }

  /** @throws Error unless the clock is 'manual' */
  advance(ms: number): Promise<void> {
    if (this.#manual) return this.#manual.advance(ms);
    throw new Error("advance needs RedlockTestingModule.forRoot({ clock: 'manual' }): the real clock goes by itself");
  }

  onModuleInit(): void {
    this.#logger.warn(coded('REDLOCK_W18', 'Locks are kept in the memory of this process, for tests only'));
  }

  /** Lets the clock run by itself, because holders need time to finish before the application shuts down. */
  onModuleDestroy(): void {
    this.#manual?.runOn();
  }

  #poolFor(name: Name, maxTtl: number | undefined): PoolInMemory {
    const { nodes = 3, restartQuarantine } = this.options;
    const clock = this.#manual ?? this.#real;
    const pool = this.#pools.get(name) ?? new PoolInMemory({ name, size: nodes, clock, maxTtl, restartQuarantine });
    this.#pools.set(name, pool);
    return pool;
  }
}
