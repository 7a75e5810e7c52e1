// The code of lib, to be called: its rules, its commands and its instruments say what the pages say.
import { mkdirSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const EXPORTS = `
export * from './lib/engine/errors.js';
export { CODES } from './lib/engine/codes.js';
export { checkLockOptions, DEFAULT_LOCK_OPTIONS, defaultsWithin, MAX_TTL, prepareOptions } from './lib/engine/options.js';
export { readModuleOptions } from './lib/redlock.options.js';
export { toPlan } from './lib/with-lock/run/lock-plan.js';
export { errorReply } from './lib/with-lock/reply/error-reply.js';
export { checkIdempotencyOptions, checkModuleOptions } from './lib/idempotency/idempotency.options.js';
export { toIdempotentPlan } from './lib/idempotency/idempotent-plan.js';
export { IdempotencyError } from './lib/idempotency/idempotency.errors.js';
export { toHttpRefusal } from './lib/idempotency/idempotency-exception.filter.js';
export { LockMetrics } from './lib/opentelemetry/lock-metrics.js';
export { LeaderMetrics } from './lib/opentelemetry/leader-metrics.js';
export { NodeMetrics } from './lib/opentelemetry/node-metrics.js';
export { OnceMetrics } from './lib/opentelemetry/once-metrics.js';
export { EXIT, MEANINGS } from './lib/cli/io.js';
export { programFor } from './lib/cli/program.js';
`;

/** In this project, so that the packages that the code imports are found. */
const FOLDER = 'node_modules/.cache';

/** @typedef {typeof import('../../lib/engine/errors.js')
 *   & Pick<typeof import('../../lib/engine/codes.js'), 'CODES'>
 *   & typeof import('../../lib/engine/options.js')
 *   & Pick<typeof import('../../lib/redlock.options.js'), 'readModuleOptions'>
 *   & Pick<typeof import('../../lib/with-lock/run/lock-plan.js'), 'toPlan'>
 *   & Pick<typeof import('../../lib/with-lock/reply/error-reply.js'), 'errorReply'>
 *   & typeof import('../../lib/idempotency/idempotency.options.js')
 *   & Pick<typeof import('../../lib/idempotency/idempotent-plan.js'), 'toIdempotentPlan'>
 *   & Pick<typeof import('../../lib/idempotency/idempotency.errors.js'), 'IdempotencyError'>
 *   & Pick<typeof import('../../lib/idempotency/idempotency-exception.filter.js'), 'toHttpRefusal'>
 *   & Pick<typeof import('../../lib/opentelemetry/lock-metrics.js'), 'LockMetrics'>
 *   & Pick<typeof import('../../lib/opentelemetry/leader-metrics.js'), 'LeaderMetrics'>
 *   & Pick<typeof import('../../lib/opentelemetry/node-metrics.js'), 'NodeMetrics'>
 *   & Pick<typeof import('../../lib/opentelemetry/once-metrics.js'), 'OnceMetrics'>
 *   & typeof import('../../lib/cli/io.js')
 *   & Pick<typeof import('../../lib/cli/program.js'), 'programFor'>} Code
 */

/** @returns {Promise<Code>} */
export async function loadCode() {
  mkdirSync(FOLDER, { recursive: true });
  const outfile = `${FOLDER}/redlock-docs-${process.pid}.mjs`;
  try {
    await build({
      stdin: { contents: EXPORTS, resolveDir: '.', loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
