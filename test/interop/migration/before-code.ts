import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { complaintsAbout } from '../../support/readme.js';
import type { Before } from './all-before.js';

/** Packages of before did not say in `exports` where their types are. */
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  resolvePackageJsonExports: false,
};

/** What the code exports: a service, or the function that its lines were put into. */
export interface BeforeExports {
  readonly ReportsService?: new () => { build(account: string): Promise<string> };
  readonly build?: (clients: readonly unknown[], account: string) => Promise<unknown>;
}

export const MIGRATE = 'docs/compare/migrate.md';

/** The libraries that the page tells how to leave, with what it says of each. */
export function sections(): ReadonlyMap<string, string> {
  const parts = readFileSync(MIGRATE, 'utf8').split(/^### /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.split(/^## /m)[0]!]));
}

/** The code before the migration, as a module of its own. */
export function beforeCode({ library, renamed = {} }: Before): string {
  const block = /^(?:.* )?Before\b[^\n]*:\n\n```ts\n(.*?)```/ms.exec(sections().get(library) ?? '')?.[1];
  if (block === undefined) throw new Error(`${MIGRATE} has no code before the migration from ${library}`);
  const code = Object.entries(renamed).reduce(
    (all, [from, to]) => all.replace(`from '${from}'`, `from '${to}'`),
    block,
  );
  return code.includes('export class') ? code : asFunction(code);
}

/** Puts lines that stand for themselves on the page into a function that has what they take for granted. */
function asFunction(code: string): string {
  const lines = code.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const body = lines.filter((line) => !line.startsWith('import '));
  return [
    "import type { Redis } from 'ioredis';",
    ...imports,
    'export async function build(clients: Redis[], account: string): Promise<string | void> {',
    ...body,
    '}',
  ].join('\n');
}

/** What the compiler has to say about the code, with the types of the package that the code is about. */
export function complaintsAboutBefore(before: Before): string[] {
  return complaintsAbout([{ file: 'before.ts', code: beforeCode(before) }], { folder: before.home, options: OPTIONS });
}

/** Loads the code, with the packages of its folder. */
export function loadBefore(before: Before, root: string): BeforeExports {
  const { outputText } = ts.transpileModule(beforeCode(before), {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  const exports: BeforeExports = {};
  const run = compileFunction(outputText, ['exports', 'require']);
  run(exports, createRequire(join(root, before.home, 'package.json')));
  return exports;
}
