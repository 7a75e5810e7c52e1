import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Door } from './door.js';

const CURRENT = new AsyncLocalStorage<PoolClient>();

/**
 * Transactions on Postgres, for code that finds its own in its async context. Between the work and its commit each stands in a
 * door, as a prepared one: PGlite has a single session, in which the next one can go to work meanwhile.
 */
@Injectable()
export class Transactions {
  private constructor(
    private readonly lite: PGlite,
    private readonly pool: Pool,
    readonly commits: Door,
  ) {}

  static async open(schema: string): Promise<Transactions> {
    const prepared = ['-c', 'max_prepared_transactions=10'];
    const lite = await PGlite.create({ startParams: [...PGlite.defaultStartParams, ...prepared] });
    await lite.exec(schema);
    return new Transactions(lite, new Pool({ ...createPgConfig(lite), max: 1 }), new Door());
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const { rows } = await (CURRENT.getStore() ?? this.pool).query<Record<string, unknown>>(sql, [...values]);
    return rows;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const name = randomUUID();
    const result = await this.#prepare(name, work);
    await this.commits.pass();
    await this.pool.query(`COMMIT PREPARED '${name}'`);
    return result;
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.lite.close();
  }

  async #prepare<T>(name: string, work: () => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const result = await CURRENT.run(client, work);
      await client.query(`PREPARE TRANSACTION '${name}'`);
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }
}

/** Runs a method of an object that has `transactions` in one of them; keeps metadata, as the known decorators do. */
export function Transactional(): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const work = descriptor.value as (...args: unknown[]) => Promise<unknown>;
    const method = function (this: { transactions: Transactions }, ...args: unknown[]): Promise<unknown> {
      return this.transactions.run(() => work.apply(this, args));
    };
    for (const key of Reflect.getMetadataKeys(work) as unknown[])
      Reflect.defineMetadata(key, Reflect.getMetadata(key, work), method);
    descriptor.value = method;
  };
}

/** The same around a handler and its pipes. */
@Injectable()
export class TransactionInterceptor implements NestInterceptor {
  constructor(@Inject(Transactions) private readonly transactions: Transactions) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.transactions.run(() => lastValueFrom(next.handle())));
  }
}
