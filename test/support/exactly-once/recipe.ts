import { readFileSync } from 'node:fs';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { DataSource } from 'typeorm';
import type { OnceCall } from 'nestjs-redlock/idempotency';
import type { PastedCode } from '../pasted-code.js';
import { codeBlocks, type CodeBlock } from '../readme.js';
import { quietPool, type Pay, type Receipt } from './payments.js';
import { openPrisma } from './prisma-client.js';

/** The TypeScript blocks of the recipe; each names its file in its first line. */
export function recipePrograms(): CodeBlock[] {
  return codeBlocks(readFileSync('docs/recipes/exactly-once.md', 'utf8'));
}

/** A library that is connected, as the program of the recipe takes it. */
interface Connected {
  readonly database: unknown;
  close(): Promise<unknown>;
}

/** A program of the recipe, connected. */
export interface Program {
  readonly pay: Pay;
  close(): Promise<unknown>;
}

const CONNECT: Readonly<Record<string, (url: string) => Promise<Connected>>> = {
  pg: async (url) => {
    const pool = quietPool(url, 5);
    return { database: pool, close: () => pool.end() };
  },
  typeorm: async (url) => {
    const source = await new DataSource({ type: 'postgres', url, extra: { max: 5 } }).initialize();
    return { database: source, close: () => source.destroy() };
  },
  prisma: async (url) => {
    const prisma = openPrisma(url);
    return { database: prisma, close: () => prisma.$disconnect() };
  },
  drizzle: async (url) => {
    const pool = quietPool(url, 5);
    return { database: drizzle(pool), close: () => pool.end() };
  },
  knex: async (url) => {
    const database = knex({ client: 'pg', connection: url, pool: { min: 0, max: 5 } });
    return { database, close: () => database.destroy() };
  },
};

export const LIBRARIES = Object.keys(CONNECT);

export async function openProgram(library: string, pasted: PastedCode, url: string): Promise<Program> {
  type Pays = { pay(database: unknown, call: OnceCall, order: string): Promise<Receipt> };
  const { pay } = await pasted.run<Pays>(`pay-with-${library}.ts`);
  const { database, close } = await CONNECT[library]!(url);
  return { pay: (call, order) => pay(database, call, order), close };
}
