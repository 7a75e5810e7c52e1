// What the entry points export, with their doc comments, as TypeDoc reads them.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, ReflectionKind } from 'typedoc';

/** The entry points, by the names under which applications import them. */
export const ENTRIES = {
  'nestjs-redlock': { file: 'lib/index.ts', page: 'index.md' },
  'nestjs-redlock/idempotency': { file: 'lib/idempotency/index.ts', page: 'idempotency.md' },
  'nestjs-redlock/opentelemetry': { file: 'lib/opentelemetry/index.ts', page: 'opentelemetry.md' },
  'nestjs-redlock/terminus': { file: 'lib/terminus/index.ts', page: 'terminus.md' },
  'nestjs-redlock/testing': { file: 'lib/testing/index.ts', page: 'testing.md' },
};

/** By default TypeDoc empties `docs` and writes there: this folder takes its place. */
export const NOWHERE = join(tmpdir(), 'nestjs-redlock-docs-unused');

/** Reads the code. */
export async function convert() {
  const app = await Application.bootstrapWithPlugins({
    entryPoints: Object.values(ENTRIES).map(({ file }) => file),
    tsconfig: 'tsconfig.build.json',
    plugin: ['typedoc-plugin-markdown'],
    out: NOWHERE,
    cleanOutputDir: false,
    readme: 'none',
    disableGit: true,
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeProtected: true,
    sort: ['alphabetical'],
    kindSortOrder: ['Class', 'Function', 'Variable', 'Interface', 'TypeAlias'],
    jsDocCompatibility: { defaultTag: false },
    validation: false,
    // `npm run typecheck` finds them.
    skipErrorChecking: true,
    logLevel: 'Warn',
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read lib');
  return { app, project };
}

/** @typedef {import('typedoc').ProjectReflection} Project */
/** @typedef {import('typedoc').DeclarationReflection} Declaration */

/** Returns an export by its name. @param {Project} project @param {string} name @returns {Declaration} */
export function exported(project, name) {
  for (const entry of project.children ?? []) {
    const found = entry.children?.find((child) => child.name === name && child.kind !== ReflectionKind.Reference);
    if (found) return found;
  }
  throw new Error(`No entry point exports ${name}`);
}

/** Returns the members that a class or an interface does not inherit, in the order of the code. @param {Declaration} declaration */
export function membersOf({ children = [] }) {
  const own = children.filter(
    (member) => member.inheritedFrom === undefined && !member.kindOf(ReflectionKind.Constructor),
  );
  return own.sort((one, other) => one.id - other.id);
}

/** @param {import('typedoc').Comment | undefined} comment @returns {string} */
export function summaryOf(comment) {
  return textOf(comment?.summary);
}

/** Returns the text of a tag, such as `@default`. @param {import('typedoc').Comment | undefined} comment @param {`@${string}`} tag */
export function tagOf(comment, tag) {
  return textOf(comment?.getTag(tag)?.content);
}

/** @param {import('typedoc').CommentDisplayPart[] | undefined} parts */
function textOf(parts = []) {
  return parts
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** @param {Declaration} declaration @returns {import('typedoc').Comment | undefined} */
export function commentOf(declaration) {
  return declaration.comment ?? declaration.signatures?.[0]?.comment ?? declaration.getSignature?.comment;
}

const NAMED =
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Function |
  ReflectionKind.Variable;

/** Returns the exports, and the members of exported classes and interfaces, that have no doc comment. @param {Project} project @returns {string[]} */
export function undocumented(project) {
  const names = (project.children ?? []).flatMap((entry) => entry.children ?? []);
  return names
    .filter((name) => name.kindOf(NAMED))
    .flatMap((name) => [name, ...(name.kindOf(ReflectionKind.ClassOrInterface) ? (name.children ?? []) : [])])
    .filter(
      (name) => !name.kindOf(ReflectionKind.Constructor) && name.inheritedFrom === undefined && !saysAnything(name),
    )
    .map((name) => name.getFriendlyFullName());
}

/** @param {Declaration} declaration */
function saysAnything(declaration) {
  const comment = commentOf(declaration);
  return summaryOf(comment) !== '' || (comment?.blockTags.length ?? 0) > 0 || declaration.flags.isInherited;
}

/**
 * Returns the texts of a union with the comment before each, which TypeDoc does not read within an interface.
 * @param {string} file @param {string} type @returns {(readonly [value: string, meaning: string])[]}
 */
export function commentedTexts(file, type) {
  const source = readFileSync(file, 'utf8').split(`export interface ${type} `)[1]?.split('\n}\n')[0] ?? '';
  const texts = [...source.matchAll(/\/\*\* ([^*]+?) \*\/\s*\| '([\w-]+)'/g)];
  if (texts.length === 0) throw new Error(`${file}: ${type} has no commented texts`);
  return texts.map(([, meaning = '', value = '']) => [value, meaning]);
}
