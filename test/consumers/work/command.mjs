import { npm } from '../../../.ci/set-up/packages.mjs';
import { execute } from '../harness/execute.mjs';

/**
 * Runs the operator's command as `npx` does, of the package that is installed, on the nodes of all consumers.
 * @param {string} install
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function command(install) {
  return async (place) => {
    const cwd = place.folders.get(install) ?? '';
    const run = async (/** @type {string[]} */ ...args) => {
      let said = '';
      const hear = (/** @type {string} */ text) => {
        said += text;
        place.output += text;
      };
      const npx = [...npm(process.env), 'exec', '--no', '--', 'nestjs-redlock'];
      await execute([...npx, ...args], { cwd, env: place.env, hear });
      return said;
    };
    expectIn(await run('--help'), 'Usage: nestjs-redlock', 'status', 'doctor', 'ls', 'watch', 'break');
    expectIn(await run('ls', '--prefix', place.name, '--json'), '"locks":[]');
  };
}

/** @param {string} text @param {string[]} words */
function expectIn(text, ...words) {
  for (const word of words) if (!text.includes(word)) throw new Error(`the command did not say ${word}: ${text}`);
}
