import { ROOTS } from './key-roots.js';
import { KEY_FILTERS } from './key-filters.js';

/** A part of a key template, such as `<body.email|trim|lower>`. */
export interface KeyPart {
  readonly source: string;
  readonly root: string;
  /** The steps after the root. */
  readonly path: readonly string[];
  /** True for the position of an argument of the method; `args` with a name is an argument of a GraphQL operation. */
  readonly isPosition: boolean;
  readonly filters: readonly ((text: string) => string)[];
}

const INDEX = /^\d+$/;
/** Matches what no name contains. Names of headers, claims and JSON-LD may well contain `-`, `:`, `/`, `@`, `$` or `#`. */
const NO_NAME = /[\s?!()[\]{}"'`,;=&\\^]/;
/** The roots that are no text themselves, so that a part has to name one of their properties. */
const WITH_NAMES = ['params', 'query', 'headers'];

/** @throws TypeError for a text that is no part of a key */
export function toPart(source: string, template: string): KeyPart {
  const [expression = '', ...filterNames] = source.split('|').map((part) => part.trim());
  const [root = '', ...path] = stepsOf(expression, { source, template });
  return {
    source: expression,
    root,
    path: root === 'headers' ? path.map((step) => step.toLowerCase()) : path,
    isPosition: root === 'args' && INDEX.test(path[0]!),
    filters: filterNames.map((name) => toFilter(name, template)),
  };
}

/** Returns the steps of a path, beginning with the root: `0.email` is short for `args.0.email`. */
function stepsOf(
  expression: string,
  { source, template }: { readonly source: string; readonly template: string },
): readonly string[] {
  const steps = expression.split('.');
  const [found] = NO_NAME.exec(expression) ?? [];
  if (steps.includes('') || found !== undefined) {
    const why = found === undefined ? '' : `: "${found}" is in none; a name that has one is for a key function to read`;
    throw malformed(template, `"<${source}>" is not a path such as <body.email> or <body.items.0.id>${why}`);
  }
  const [root = ''] = steps;
  if (INDEX.test(root)) return ['args', ...steps];
  if (expression === 'args')
    throw malformed(template, `"<${source}>" needs the name or position of an argument, as in <args.0.email>`);
  if (WITH_NAMES.includes(expression))
    throw malformed(template, `"<${source}>" needs the name of one of them, as in <${root}.id>`);
  if (!ROOTS.includes(root))
    throw malformed(template, `"${root}" is none of ${ROOTS.join(', ')} or the position of an argument`);
  return steps;
}

function toFilter(name: string, template: string): (text: string) => string {
  const filter = Object.hasOwn(KEY_FILTERS, name) ? KEY_FILTERS[name] : undefined;
  if (filter) return filter;
  throw malformed(template, `there is no filter "${name}"; there are ${Object.keys(KEY_FILTERS).join(', ')}`);
}

export function malformed(template: string, why: string): TypeError {
  return new TypeError(`The lock key "${template}" is malformed: ${why}`);
}
