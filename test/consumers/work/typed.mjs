// The types of packages are checked as well as the application's.
const STRICT = { skipLibCheck: false };
// Not each compiler on each installation: they take long over the types of ioredis. The first is that of the quick half.
const COMPILERS = [
  { name: 'typescript', on: 0, knowsNode10: true, flags: ['--ignoreDeprecations', '6.0'] },
  { name: 'typescript-7', on: 0, knowsNode10: false, flags: [] },
  { name: 'typescript-5', on: 1, knowsNode10: true, flags: [] },
];

/**
 * Type-checks an application that uses what both entry points have.
 * @param {{ installs: readonly string[], type: 'module' | 'commonjs', compilerOptions: { module: string, moduleResolution: string } }} how
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function typed({ installs, type, compilerOptions }) {
  const isNode10 = compilerOptions.moduleResolution === 'node10';
  const known = COMPILERS.filter(({ knowsNode10 }) => knowsNode10 || !isNode10);
  return async (place) => {
    for (const { name, on, flags } of place.isThorough ? known : known.slice(0, 1)) {
      const install = installs[on] ?? installs[0] ?? '';
      const folder = place.furnish({
        install,
        type,
        apps: ['types'],
        compilerOptions: { ...compilerOptions, ...STRICT },
      });
      const program = place.installed(install, `${name}/bin/tsc`);
      await place.run(folder, program, '--noEmit', '--project', '.', ...(isNode10 ? flags : []));
    }
  };
}
