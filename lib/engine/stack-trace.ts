const FRAME = /^\s*at /;
/** A frame of this file, or of the file into which the build puts this file and others: `.ci/bundle.mjs`. */
const OWN_FRAME = /^\s*at (?:.*\()?(.*[\\/])(?:engine[\\/]stack-trace|redlock\.shared)\.\w+:\d+:\d+\)?$/;

/** The directory of this package as frames name it; undefined if the package has become a part of another file. */
const HOME = OWN_FRAME.exec(linesOf(new Error('here').stack).find((line) => FRAME.test(line)) ?? '')?.[1];

/** Frames that are of no use to the reader of an application's log. */
const FOREIGN = /[\\/]node_modules[\\/]|node:internal/;

/** Returns a stack with the frames of the application only: without the frames of this package, of other packages and of Node. */
export function briefly(stack: unknown): string {
  const isForeign = (line: string): boolean => FOREIGN.test(line) || (HOME !== undefined && line.includes(HOME));
  return linesOf(stack)
    .filter((line) => !(FRAME.test(line) && isForeign(line)))
    .join('\n');
}

/** Returns the lines of a stack, which tools may have replaced by something that is not a string. */
function linesOf(stack: unknown): string[] {
  return String(stack).split('\n');
}
