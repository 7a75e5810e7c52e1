// docs/reference/api: one page for each entry point, by typedoc-plugin-markdown.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRIES, commentOf, summaryOf } from './model.mjs';
import { table } from './table.mjs';

const SETTINGS = {
  outputFileStrategy: 'modules',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true, hideSources: true },
};

/** Sections of the plugin that say nothing to a reader. */
const NOISE = /^#+ (Overrides|Inherited from|Implementation of)\n\n(?:.+\n)+\n?/gm;
/** Nest calls these. */
const BARE_CONSTRUCTOR =
  /^#### Constructors\n\n##### Constructor\n\n```ts\nnew \w+\([^;]*?\): (\w*(?:Module|Filter));\n```\n\n[^]*?(?=^####? )/gm;

/** Modules inherit this from a class of Nest. */
const INDEXABLE = /^#### Indexable\n\n```ts\n\[key: string\]: any\n```\n\n/gm;
/** The page about events has each event, with its fields. */
const EVENTS = /(^### LockEvent\n(?:(?!^### )[^])*?)^#### Union Members\n(?:(?!^### )[^])*/m;
const SEE_EVENTS = '$1[Events](../events.md) describes each event and its fields.\n\n***\n\n';

/** @param {import('typedoc').Application} app @param {import('./model.mjs').Project} project @returns {Promise<Record<string, string>>} by file */
export async function apiPages(app, project) {
  for (const [name, value] of Object.entries(SETTINGS))
    app.options.setValue(/** @type {never} */ (name), /** @type {never} */ (value));
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-redlock-docs-'));
  try {
    app.options.setValue('out', folder);
    await app.generateOutputs(project);
    const pages = Object.entries(ENTRIES).map(([name, { page }]) => [
      page,
      cleaned(name, readFileSync(join(folder, page), 'utf8')),
    ]);
    return { ...Object.fromEntries(pages), 'README.md': contents(project) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} name @param {string} text */
function cleaned(name, text) {
  const body = linkedWithin(
    text
      .replace(/^# .*\n/, '')
      .replaceAll(NOISE, '')
      .replaceAll(BARE_CONSTRUCTOR, '')
      .replaceAll(INDEXABLE, '')
      .replace(EVENTS, SEE_EVENTS),
  );
  return `# ${name}

What \`${name}\` exports.

**Read this if** you look for the type of a name, or for what a method throws.
${body}
**Next:** [options](../options.md).

[All names](README.md), [all pages](../../README.md)
`;
}

/** The plugin also counts headings that are left out: a link to the third heading of a name leads to the only one. @param {string} body */
function linkedWithin(body) {
  const headings = [...body.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(/[^\w-]/g, ''),
  );
  return body.replaceAll(/\(#([\w-]+)-(\d+)\)/g, (link, name, number) =>
    headings.filter((heading) => heading === name).length > Number(number) || headings.includes(`${name}-${number}`)
      ? link
      : `(#${name})`,
  );
}

/** @param {import('./model.mjs').Project} project */
function contents(project) {
  const sections = Object.entries(ENTRIES).map(([name, { page }]) => {
    const entry = (project.children ?? []).find((child) => `${child.name}.md` === page);
    const names = (entry?.children ?? []).map((child) => [
      `[\`${child.name}\`](${page}#${child.name.toLowerCase()})`,
      firstSentence(summaryOf(commentOf(child))),
    ]);
    return `## ${name}\n\n${table(['name', 'what it is'], names)}`;
  });
  return `# All exported names

Every name that you can import, by entry point.

**Read this if** you look for a class, a function or a type.

${sections.join('\n\n')}

**Next:** [options](../options.md).

[All pages](../../README.md)
`;
}

/** @param {string} text */
function firstSentence(text) {
  return /^.*?[.](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}
