import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type QueryResultRow } from 'pg';
import { Subject } from 'rxjs';
import { SCHEMA } from './schema.js';

/** The application's Postgres: a server where there is an address, else PGlite with its files in a folder. */
export class Database implements OnApplicationShutdown {
  /** The name of the table for each row that was inserted. */
  readonly inserted$ = new Subject<string>();

  private constructor(
    private readonly pool: Pool,
    private readonly closeLite?: () => Promise<void>,
  ) {
    // A pool without a listener ends the process when an idle connection breaks.
    pool.on('error', (error) => new Logger(Database.name).error(error.message));
  }

  static async open(url: string | undefined, folder: string): Promise<Database> {
    const database = url === undefined ? await Database.inProcess(folder) : Database.onServer(url);
    await database.pool.query(SCHEMA);
    return database;
  }

  private static onServer(connectionString: string): Database {
    return new Database(new Pool({ connectionString, connectionTimeoutMillis: 10_000 }));
  }

  private static async inProcess(folder: string): Promise<Database> {
    // The production image has no PGlite.
    const [{ openLite }, { createPgConfig }] = await Promise.all([
      import('./lite.js'),
      import('@electric-sql/pglite/node-postgres'),
    ]);
    const { lite, close } = await openLite(folder);
    return new Database(new Pool(createPgConfig(lite)), close);
  }

  async query<Row extends QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(sql, values);
    const [, table] = /^insert into (\w+)/.exec(sql) ?? [];
    if (table !== undefined) this.inserted$.next(table);
    return rows;
  }

  /** The last hook of a shutdown: by now the holders of locks have finished, and none of them needs a connection. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
    await this.closeLite?.();
  }
}
