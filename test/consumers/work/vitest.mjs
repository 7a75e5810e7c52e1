/**
 * Checks the types of the application and its tests, and runs them.
 * @param {import('../harness/workplace.mjs').Application} application
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function vitest(application) {
  const types = ['node', 'vitest/globals'];
  return async (place) => {
    const folder = place.furnish({ ...application, compilerOptions: { types } });
    await place.run(folder, place.installed(application.install, 'vitest/vitest.mjs'), 'run');
    await place.run(folder, place.installed(application.install, 'typescript/bin/tsc'), '--noEmit', '--project', '.');
  };
}
