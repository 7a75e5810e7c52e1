// One candidate at work in a process of its own, so that what the process uses is what the candidate uses.
import { connect } from '../candidates/candidates.mjs';
import { until } from './clock.mjs';

/** @typedef {import('./child.mjs').Order} Order */
/** @typedef {import('./child.mjs').Figures} Figures */
/** @typedef {{ isStopped: boolean, stopped: Promise<void> }} Stage what a work may know of its surroundings */
/** @typedef {((stage: Stage) => Promise<Figures>) & { facts?: Figures }} Measure */

/** @type {() => void} */
let stop = () => undefined;
/** @type {Stage} */
const stage = {
  isStopped: false,
  stopped: new Promise((resolve) => {
    stop = resolve;
  }),
};
/** @type {Measure | undefined} */
let measure;
let unhandled = 0;

/** @param {import('./child.mjs').Answer} answer */
function send(answer) {
  process.send?.(answer);
}

/** @param {Order} order */
async function prepare({ candidate, work, params, settings }) {
  const client = candidate === undefined ? undefined : await connect(candidate, settings);
  await client?.ready?.();
  const { prepare: prepareWork } = await import(`../work/${work}.mjs`);
  measure = await prepareWork(client, params);
  send({ type: 'ready', facts: measure?.facts ?? {} });
}

/** @param {number} at */
async function go(at) {
  await until(at);
  const figures = await measure?.(stage);
  const notes = [figures?.note, unhandled > 0 && `${unhandled} unhandled rejections`].filter(Boolean);
  send({ type: 'done', figures: { ...figures, note: notes.join('; ') || undefined } });
}

/** @param {unknown} error */
function fail(error) {
  send({ type: 'failed', reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
}

process.on('message', (/** @type {import('./child.mjs').Request} */ request) => {
  if (request.type === 'prepare') prepare(request.order).catch(fail);
  else if (request.type === 'go') go(request.at).catch(fail);
  else {
    stage.isStopped = true;
    stop();
  }
});
// It would end an application; here it is a figure of the candidate.
process.on('unhandledRejection', () => {
  unhandled += 1;
});
process.on('disconnect', () => process.exit());
