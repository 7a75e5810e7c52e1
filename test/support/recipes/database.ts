import { afterAll, beforeAll, beforeEach, describe } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { NO_POSTGRES } from '../../../.ci/set-up/postgres.mjs';
import { removePasted } from '../pasted-code.js';
import { HAS_POSTGRES, startPostgres, type Postgres } from '../postgres.js';
import type { Recipe } from './recipe.js';

/** Ms: a Postgres is to start beside other tests. */
const PATIENCE = 120_000;

/** `describe` for what needs a Postgres; the skipped tests say why. */
export const describeOnPostgres: typeof describe | typeof describe.skip = HAS_POSTGRES ? describe : describe.skip;
if (!HAS_POSTGRES) console.log(NO_POSTGRES);

/** The tables of one recipe in a schema of their own: the Postgres may be one that outlives the test. */
export class Database {
  private constructor(
    readonly url: string,
    readonly pool: Pool,
    private readonly postgres: Postgres,
    private readonly schema: string,
  ) {}

  static async start(tables: string): Promise<Database> {
    const postgres = await startPostgres();
    const schema = `recipe_${randomBytes(6).toString('hex')}`;
    const url = `${postgres.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    const database = new Database(url, new Pool({ connectionString: url }), postgres, schema);
    await database.pool.query(`CREATE SCHEMA ${schema}`);
    await database.pool.query(tables);
    return database;
  }

  async rows<T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    const { rows } = await this.pool.query<T>(sql, [...values]);
    return rows;
  }

  async stop(): Promise<void> {
    await this.pool.query(`DROP SCHEMA ${this.schema} CASCADE`);
    await this.pool.end();
    await this.postgres.stop();
  }
}

/** The database of a recipe for the tests of a block, which `fill` sets back before each of them. */
export function databaseOf(recipe: Recipe, fill: string): () => Database {
  let database: Database;
  beforeAll(async () => {
    database = await Database.start(recipe.tables);
  }, PATIENCE);
  beforeEach(() => database.pool.query(fill));
  afterAll(async () => {
    await removePasted();
    await database.stop();
  }, PATIENCE);
  return () => database;
}
