// `npm start`: two replicas of the sign-up service, the race with and without the lock, then curl at will until Ctrl-C.
// Built-in modules only, here and in guardian.mjs: this also runs where nothing is installed yet.
import { parseArgs } from 'node:util';
import { runDemo } from '../.ci/demo/guardian.mjs';
import { report } from '../.ci/set-up/set-up-error.mjs';

const USAGE = `Usage: npm start [-- --once]

  --once  end after the race; the exit code is 0 only if the locked race made exactly one user
  --help  show this

Settings come from the environment or from sample-app/.env: see sample-app/.env.example.`;

/** @returns {{ once?: boolean, help?: boolean } | Error} what to do, or what is wrong */
function readOptions() {
  try {
    return parseArgs({ options: { once: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    return /** @type {Error} */ (error);
  }
}

const options = readOptions();
if (options instanceof Error) {
  console.error(`${options.message}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (options.help) console.log(USAGE);
else await runDemo(options.once ? ['--once'] : []).catch(report);
