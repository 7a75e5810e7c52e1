import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { complaintsAbout } from '../../support/readme.js';
import type { BeforePage } from './before-pages.js';

/** Packages of before did not say in `exports` where their types are. */
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  resolvePackageJsonExports: false,
};

/** What the code of a page exports: a service, or the function that its lines were put into. */
export interface BeforeExports {
  readonly ReportsService?: new () => { build(account: string): Promise<string> };
  readonly build?: (clients: readonly unknown[], account: string) => Promise<unknown>;
}

/** The code of a page before the migration, as a module of its own. */
export function beforeCode({ page, renamed = {} }: BeforePage): string {
  const text = readFileSync(join('docs/compare/migration', page), 'utf8');
  const block = /^Before:\n\n```ts\n(.*?)```/ms.exec(text)?.[1];
  if (block === undefined) throw new Error(`docs/compare/migration/${page} has no code before the migration`);
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

/** What the compiler has to say about the code of a page, with the types of the package that the page is about. */
export function complaintsAboutBefore(page: BeforePage): string[] {
  const file = page.page.replace('.md', '.ts');
  return complaintsAbout([{ file, code: beforeCode(page) }], { folder: page.home, options: OPTIONS });
}

/** Loads the code of a page, with the packages of its folder. */
export function loadBefore(page: BeforePage, root: string): BeforeExports {
  const { outputText } = ts.transpileModule(beforeCode(page), {
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
  run(exports, createRequire(join(root, page.home, 'package.json')));
  return exports;
}
