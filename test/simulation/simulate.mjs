// `npm run simulate -- --seeds N`: compiles the simulation and runs it with the arguments that it was given.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compileSimulation } from './compile.mjs';

/**
 * Young objects of a seed are garbage before the next seed, so that there is little to copy where there is room for many; threads that
 * wait for each other to copy it take more time of the processor than they save where all cores are busy.
 */
const MEMORY = ['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

const { main, remove } = await compileSimulation();
try {
  const child = spawn(process.execPath, ['--enable-source-maps', ...MEMORY, main, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await remove();
}
