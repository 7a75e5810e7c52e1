import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { SystemClock } from '../../core/time/system-clock.js';
import type { RedlockService } from '../../redlock.service.js';
import type { PoolMaker } from '../../pool-maker.js';
import { ManualClock } from '../manual-clock.js';
import { PoolInMemory } from './pool-in-memory.js';
import { poolOptionsOf, type PoolOptions, type RedlockTestingOptions } from '../redlock-testing.options.js';

type Name = string | undefined;

/** All pools of one application under test, and their one clock. */
export class TestingPools implements PoolMaker, OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger('RedlockTestingModule');
  readonly #pools = new Map<Name, PoolInMemory>();
  readonly #onMade = new Map<Name, (service: RedlockService) => void>();
  readonly #manual: ManualClock | undefined;
  readonly #real = new SystemClock();

  constructor(private readonly options: RedlockTestingOptions) {
    this.#manual = options.clock === 'manual' ? new ManualClock() : undefined;
  }

  /** What the test says goes before what the application says. */
  make(name: Name, theirs: PoolOptions): RedlockService {
    const ours = poolOptionsOf(this.options);
    const defaults = { ...theirs.defaults, ...ours.defaults };
    // A start that waits would wait for a clock that stands still.
    const options: PoolOptions = { ...theirs, ...ours, defaults, waitForQuorum: false };
    const service = this.#poolFor(name, options.maxTtl).serve(options);
    this.#onMade.get(name)?.(service);
    return service;
  }

  /** The service of a pool that the application registers: once it has done so. */
  registered(name: Name): Promise<RedlockService> {
    const service = this.#pools.get(name)?.services[0];
    return service ? Promise.resolve(service) : new Promise((resolve) => this.#onMade.set(name, resolve));
  }

  /** @throws Error where there is no such pool */
  get(name: Name): PoolInMemory {
    const pool = this.#pools.get(name);
    if (pool) return pool;
    const named = [...this.#pools.keys()].filter((key) => key !== undefined);
    const known = named.length > 0 ? `the named ones are ${named.join(', ')}` : 'none has a name';
    throw new Error(`There is no pool ${name === undefined ? 'without a name' : `"${name}"`}; ${known}`);
  }

  /** @throws Error where the clock goes by itself */
  advance(ms: number): Promise<void> {
    if (this.#manual) return this.#manual.advance(ms);
    throw new Error("advance needs RedlockTestingModule.forRoot({ clock: 'manual' }): the real clock goes by itself");
  }

  onModuleInit(): void {
    this.#logger.warn('Locks are kept in the memory of this process, which is for tests only');
  }

  /** Holders that are to finish before the application shuts down need time. */
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
