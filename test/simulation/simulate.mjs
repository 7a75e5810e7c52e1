// `npm run simulate -- --seeds N`: compiles the simulation and runs it with the arguments that it was given.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compileSimulation } from './compile.mjs';

const { main, remove } = await compileSimulation();
try {
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await remove();
}
