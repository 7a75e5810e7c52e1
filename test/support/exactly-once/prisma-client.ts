import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';

const require = createRequire(import.meta.url);

/** The part of a generated client that sends SQL. */
export interface RawPrisma {
  $transaction<T>(work: (tx: RawTransaction) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

export interface RawTransaction {
  $executeRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<number>;
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>;
}

interface Runtime {
  getPrismaClient(config: object): new (options: { adapter: PrismaPg }) => RawPrisma;
}

/** Types of Node alone do not have it. */
const WasmModule = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => unknown } })
  .WebAssembly.Module;

const SCHEMA = 'datasource db {\n  provider = "postgresql"\n}\n';

/**
 * A client of the real Prisma, without models: SQL needs none. `prisma generate` would write the same, with the package `prisma`, which is 300 MB and
 * loads a program from elsewhere.
 */
export function openPrisma(url: string): RawPrisma {
  const runtime = require('@prisma/client/runtime/client') as Runtime;
  const folder = dirname(require.resolve('@prisma/client/runtime/client'));
  const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { version: string };
  const Client = runtime.getPrismaClient({
    previewFeatures: [],
    clientVersion: version,
    engineVersion: version,
    activeProvider: 'postgresql',
    inlineSchema: SCHEMA,
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: 'AAAA' },
    compilerWasm: {
      getRuntime: () => require(join(folder, 'query_compiler_fast_bg.postgresql.js')) as unknown,
      getQueryCompilerWasmModule: () => compiler(folder),
      importName: './query_compiler_fast_bg.js',
    },
  });
  return new Client({ adapter: new PrismaPg({ connectionString: url }) });
}

function compiler(folder: string): unknown {
  const { wasm } = require(join(folder, 'query_compiler_fast_bg.postgresql.wasm-base64.js')) as { wasm: string };
  return new WasmModule(Buffer.from(wasm, 'base64'));
}
