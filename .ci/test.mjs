// `npm test`: sets up what is missing, then runs Jest with the arguments that it was given.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setUpTests } from './set-up.mjs';
import { report } from './set-up/set-up-error.mjs';

const JEST = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
// Jest runs ES modules in contexts of their own, which Node still calls an experiment.
const NODE_OPTIONS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** @param {NodeJS.ProcessEnv} env */
function runJest(env) {
  const jest = spawn(process.execPath, [...NODE_OPTIONS, JEST, ...process.argv.slice(2)], { stdio: 'inherit', env });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => jest.kill(signal));
  }
  jest.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}

try {
  runJest(setUpTests());
} catch (error) {
  report(error);
}
