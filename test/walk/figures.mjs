import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const LIB = fileURLToPath(new URL('../../lib/', import.meta.url));
/** Matches an assignment to a field of a claim, or a call that changes one. */
const CLAIM_WRITE =
  /\bclaim\.(\w+\.)?\w+ (?:[-+]?|\?\?)= |\bclaim\.(doubt|resolveDoubt|taint|clearTaint|noteSent|asked|take|agree|finish|passedOn|skipLine)\(/;
const OPTIONAL_NOW = /\bnow\?:|^(?!\s*(?:const|let) ).*\bnow = [^;]*\).*\{$|[{,] now = /gm;

/** Counts what can be counted of the shape of lib. */
export async function figuresOf() {
  const names = (await readdir(LIB, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const files = await Promise.all(names.map(async (name) => ({ name, text: await readFile(LIB + name, 'utf8') })));
  /** @param {RegExp} pattern */
  const withText = (pattern) => files.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
  const optional = files.flatMap(({ name, text }) => (text.match(OPTIONAL_NOW) ?? []).map(() => name));
  return {
    'lines of lib': files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
    'files that write the state of a claim': list(withText(CLAIM_WRITE)),
    'parameters `now` that may be left out': list(optional),
    'files that speak of V8': list(withText(/\bV8\b/)),
  };
}

/** @param {readonly string[]} names */
function list(names) {
  return `${names.length} (${names.join(', ')})`;
}
