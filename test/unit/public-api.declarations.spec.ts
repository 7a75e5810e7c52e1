import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import ts from 'typescript';
import { complaintsAbout } from '../support/readme.js';

const LIB = resolve('lib');

/** Returns the names of types in a declaration, without what is internal, private, or in a body. */
function* typesIn(node: ts.Node): Generator<ts.Identifier> {
  const isHidden =
    ts.isBlock(node) ||
    // Nest makes the instances.
    ts.isConstructorDeclaration(node) ||
    (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
    (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)) ||
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
  if (isHidden) return;
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) yield node.typeName;
  for (const child of node.getChildren())
    if (!ts.isPropertyDeclaration(node) || child !== node.initializer) yield* typesIn(child);
}

/** Returns whether a declaration file has to name the type; the compiler writes out what an alias stands for. */
function isNamed(declaration: ts.Declaration): boolean {
  const isType = ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration);
  return isType && declaration.getSourceFile().fileName.startsWith(LIB);
}

function forgotten(entry: string): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile.bind(ts.sys)).config,
    ts.sys,
    '.',
  );
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const resolved = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
  const exported = new Set(checker.getExportsOfModule(module).map(resolved));
  const missing = new Set<string>();
  for (const declaration of [...exported].flatMap(({ declarations = [] }) => declarations)) {
    for (const name of typesIn(declaration)) {
      const type = checker.getSymbolAtLocation(name);
      const isOurs = type !== undefined && resolved(type).declarations?.some(isNamed);
      if (isOurs && !exported.has(resolved(type)))
        missing.add(`${name.text} of ${declaration.getSourceFile().fileName.slice(LIB.length)}`);
    }
  }
  return [...missing].sort();
}

describe('the types of the package', () => {
  it('are exported if an exported declaration names them; the compiler resolves aliases by itself', () => {
    expect(forgotten('lib/index.ts')).toEqual([]);
  }, 60_000);

  it('can be named by a declaration file of an application', () => {
    const code = `import { RedlockModule, WithLock, InjectRedlock, CurrentLock, createWithLock, RedlockService, getRedlockToken } from 'nestjs-redlock';
      export const module = RedlockModule.forRoot({ nodes: ['redis://a'] });
      export const later = RedlockModule.forRootAsync({ useFactory: () => ({ nodes: ['redis://a'] }) });
      export const decorator = WithLock('user:<body.email>');
      export const own = createWithLock<{ email: string }>();
      export const inject = InjectRedlock();
      export const current = CurrentLock;
      export const token = getRedlockToken('billing');
      export const status = (service: RedlockService) => service.status();
      export const lock = (service: RedlockService) => service.acquire('a');
      export const events = (service: RedlockService) => service.events$;
      export class Base { static options = { nodes: ['redis://a'] } satisfies Parameters<typeof RedlockModule.forRoot>[0]; }`;
    const options = { declaration: true, noEmit: false, emitDeclarationOnly: true };
    expect(complaintsAbout([{ file: 'declared.ts', code }], { options })).toEqual([]);
  }, 60_000);

  it('refuse isGlobal and name in what a factory returns: both stand beside it', () => {
    const block = (file: string, options: string) => ({
      file,
      code: `import { RedlockModule } from 'nestjs-redlock';\nexport const m = RedlockModule.forRootAsync(${options});`,
    });
    const blocks = [
      block('beside.ts', "{ isGlobal: true, name: 'a', useFactory: () => ({ nodes: ['redis://a'] }) }"),
      block('global.ts', "{ useFactory: () => ({ nodes: ['redis://a'], isGlobal: true }) }"),
      block('named.ts', "{ useFactory: async () => ({ nodes: ['redis://a'], name: 'a' }) }"),
    ];
    expect(complaintsAbout(blocks)).toEqual([
      expect.stringMatching(/global\.ts: .*isGlobal/s),
      expect.stringMatching(/named\.ts: .*name/s),
    ]);
  }, 60_000);
});
