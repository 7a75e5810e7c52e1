/**
 * Runs the application's own tests.
 * @param {import('../harness/workplace.mjs').Application} application
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function jest(application) {
  const flags = application.type === 'module' ? ['--experimental-vm-modules'] : [];
  return async (place) => {
    const folder = place.furnish({
      ...application,
      compilerOptions: { types: ['node', 'jest'], ...application.compilerOptions },
    });
    const program = place.installed(application.install, 'jest/bin/jest.js');
    // The cache would outlive the temporary folder.
    await place.run(folder, ...flags, program, '--runInBand', '--no-cache', '--cacheDirectory', '.jest');
  };
}
