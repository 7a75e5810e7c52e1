const FRAME = /^\s*at /;
/** Of this file, or of the one that the build makes of it and the others: `.ci/bundle.mjs`. */
const OWN_FRAME = /^\s*at (?:.*\()?(.*[\\/])(?:core[\\/]api[\\/]stack-trace|redlock\.shared)\.\w+:\d+:\d+\)?$/;

/** Where this package is, as frames name it; undefined where it is a part of another file. */
const HOME = OWN_FRAME.exec(linesOf(new Error('here').stack).find((line) => FRAME.test(line)) ?? '')?.[1];

/** What says nothing to the reader of an application's log. */
const FOREIGN = /[\\/]node_modules[\\/]|node:internal/;

/** A stack with nothing but what is of the application: without the frames of this package, of others and of Node. */
export function briefly(stack: unknown): string {
  const isForeign = (line: string): boolean => FOREIGN.test(line) || (HOME !== undefined && line.includes(HOME));
  return linesOf(stack)
    .filter((line) => !(FRAME.test(line) && isForeign(line)))
    .join('\n');
}

/** Tools may have something else than a text made of the frames. */
function linesOf(stack: unknown): string[] {
  return String(stack).split('\n');
}
