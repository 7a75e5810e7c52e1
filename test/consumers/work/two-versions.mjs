import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { served } from './served.mjs';

/**
 * Two versions of ioredis are there, and the application runs with both.
 * @param {Parameters<typeof served>[0]} application
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function twoVersions(application) {
  const serve = served(application);
  return async (place) => {
    const majorOf = (/** @type {string} */ path) =>
      JSON.parse(readFileSync(place.installed(application.install, `${path}/package.json`), 'utf8')).version[0];
    assert.equal(majorOf('ioredis'), '5', 'the application has an ioredis 5');
    assert.equal(majorOf('nestjs-redlock/node_modules/ioredis'), '6', 'the package has an ioredis 6');
    await serve(place);
  };
}
