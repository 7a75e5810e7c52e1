// The types of packages are checked as well as the application's.
const STRICT = { skipLibCheck: false };
// The first is that of the quick half.
const COMPILERS = [
  { folder: 'typescript', knowsNode10: true, flags: ['--ignoreDeprecations', '6.0'] },
  { folder: 'typescript-5', knowsNode10: true, flags: [] },
  { folder: 'typescript-7', knowsNode10: false, flags: [] },
];

/**
 * Type-checks an application that uses what both entry points have.
 * @param {{ installs: readonly string[], type: 'module' | 'commonjs', compilerOptions: { module: string, moduleResolution: string } }} how
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function typed({ installs, type, compilerOptions }) {
  const isNode10 = compilerOptions.moduleResolution === 'node10';
  return async (place) => {
    const known = COMPILERS.filter(({ knowsNode10 }) => knowsNode10 || !isNode10);
    for (const [index, install] of installs.entries()) {
      if (index > 0 && !place.isThorough) return;
      const folder = place.furnish({
        install,
        type,
        apps: ['types'],
        compilerOptions: { ...compilerOptions, ...STRICT },
      });
      // All of them on one version of Nest, and one on each: they take long over the types of ioredis.
      for (const compiler of index === 0 && place.isThorough ? known : known.slice(0, 1)) {
        const program = place.installed(install, `${compiler.folder}/bin/tsc`);
        await place.run(folder, program, '--noEmit', '--project', '.', ...(isNode10 ? compiler.flags : []));
      }
    }
  };
}
