import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

export const README = readFileSync('README.md', 'utf8');

export interface CodeBlock {
  readonly file: string;
  readonly code: string;
}

/** The TypeScript blocks of a page that name their file in their first line; by default those of the README. */
export function codeBlocks(page = README): CodeBlock[] {
  return [...page.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)].map(([, file, code]) => ({ file: file!, code: code! }));
}

interface Surroundings {
  /** The folder in which the blocks are, as far as the compiler knows. */
  readonly folder?: string;
  /** Options of the compiler that differ from those of this project. */
  readonly options?: ts.CompilerOptions;
}

/** What the compiler has to say about the blocks, side by side as files of this project. */
export function complaintsAbout(
  blocks: readonly CodeBlock[],
  { folder = 'test/readme', options: changed = {} }: Surroundings = {},
): string[] {
  const { options: own } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile.bind(ts.sys)).config,
    ts.sys,
    '.',
  );
  const options = { ...own, ...changed };
  const files = new Map(blocks.map(({ file, code }) => [resolve(folder, file), code]));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => files.get(path) ?? readFile.call(host, path);
  host.fileExists = (path) => files.has(path) || fileExists.call(host, path);
  // The folder of the blocks is in memory only.
  delete host.directoryExists;
  host.getSourceFile = (path, ...rest) => {
    const code = files.get(path);
    return code === undefined
      ? getSourceFile.call(host, path, ...rest)
      : ts.createSourceFile(path, code, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
