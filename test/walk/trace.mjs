import { Session } from 'node:inspector/promises';

/** @typedef {{ readonly file: string, readonly name: string }} Step One statement or call that runs, by its file and function. */
/** @typedef {{ readonly files: readonly string[], readonly acquire: readonly Step[], readonly release: readonly Step[] }} Trace */
/** @typedef {{ readonly scriptId: string, readonly url: string, readonly name: string, readonly start: number, readonly end: number }} Executed */

/**
 * Takes a lock several times: first to learn from the coverage which functions run, and then with breakpoints at each statement and call of
 * these functions, which note that they were passed and do not stop.
 * @param {string} folder the address of the folder in which `lib` lies
 * @param {() => Promise<{ release(): Promise<void> }>} acquire
 * @returns {Promise<Trace>}
 */
export async function traceOf(folder, acquire) {
  const session = new Session();
  session.connect();
  try {
    const executed = await executedBy(session, folder, async () => (await acquire()).release());
    await session.post('Debugger.enable');
    for (const one of executed) await mark(session, folder, one);
    const [lock, acquired] = await notedBy(acquire);
    const [, released] = await notedBy(() => lock.release());
    return {
      files: [...new Set(executed.map(({ url }) => fileOf(folder, url)))],
      acquire: acquired,
      release: released,
    };
  } finally {
    session.disconnect();
  }
}

/**
 * @param {Session} session
 * @param {string} folder
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Executed[]>}
 */
async function executedBy(session, folder, work) {
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await work();
  await session.post('Profiler.takePreciseCoverage'); // counts from here on
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(`${folder}lib/`))
    .flatMap(({ scriptId, url, functions }) =>
      functions.flatMap(({ functionName: name, ranges: [whole] }) =>
        whole && whole.count > 0 ? [{ scriptId, url, name, start: whole.startOffset, end: whole.endOffset }] : [],
      ),
    );
}

/**
 * @param {Session} session
 * @param {string} folder
 * @param {Executed} executed
 */
async function mark(session, folder, { scriptId, url, name, start, end }) {
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start: { scriptId, ...positionOf(scriptSource, start) },
    end: { scriptId, ...positionOf(scriptSource, end) },
    restrictToFunction: true,
  });
  const step = JSON.stringify({ file: fileOf(folder, url), name: name || '(anonymous)' });
  const condition = `(globalThis.steps?.push(${step}), false)`;
  for (const location of locations) {
    // V8 fails at a breakpoint on a call of `super`, and a return does nothing by itself.
    if (location.type === 'return' || isSuper(scriptSource, location)) continue;
    await session.post('Debugger.setBreakpoint', { location, condition });
  }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<[T, Step[]]>}
 */
async function notedBy(work) {
  /** @type {Step[]} */
  const steps = [];
  Object.assign(globalThis, { steps });
  const result = await work();
  Object.assign(globalThis, { steps: undefined });
  return [result, steps];
}

/** @param {string} source @param {number} offset */
function positionOf(source, offset) {
  const lines = source.slice(0, offset).split('\n');
  return { lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 };
}

/** @param {string} source @param {import('node:inspector').Debugger.Location} location */
function isSuper(source, { lineNumber, columnNumber }) {
  return source.split('\n')[lineNumber]?.slice(columnNumber).startsWith('super') ?? false;
}

/** @param {string} folder @param {string} url */
function fileOf(folder, url) {
  return url.slice(folder.length).replace(/\.js$/, '.ts');
}
