// `npm start`: two replicas of the sign-up service, the race with and without the lock, then curl at will until Ctrl-C.
// Built-in modules only, here and in .ci/demo: this also runs where nothing is installed yet.
import { readArguments, USAGE } from '../.ci/demo/arguments.mjs';
import { Household } from '../.ci/demo/household.mjs';
import { Interruption } from '../.ci/demo/interruption.mjs';
import { launch } from '../.ci/demo/launch.mjs';

/** @param {{ once?: boolean }} options */
async function run(options) {
  const household = new Household();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => household.stop(new Interruption(signal)));
  }
  // A terminal that is closed takes its output along; without listeners that would end this process before its children.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  try {
    return await launch(household, options);
  } catch (error) {
    if (error instanceof Interruption) return error.exitCode;
    console.error(`\n${/** @type {Error} */ (error).message}`);
    return 1;
  } finally {
    await household.end();
  }
}

const options = readArguments(process.argv.slice(2));
if (options instanceof Error) {
  console.error(`${options.message}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (options.help) console.log(USAGE);
else process.exitCode = await run(options);
