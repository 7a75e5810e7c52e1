// `npm run consumers`: small applications that install the packed tarball as users do, and run on real Redis nodes.
//
//   npm run consumers                              all of them: some minutes
//   npm run consumers -- --quick                   the half that CI runs
//   npm run consumers -- --only nest11-ts-jest     some of them
//   npm run consumers -- --keep                    leaves the temporary folder, to look around in it
//   npm run consumers -- --sabotage no-module-sync the same with a broken tarball: those that have to notice it fail
//
// It needs Node.js, a registry, and redis-server or what .ci/set-up.mjs makes of the machine. It ends with 1 where a
// consumer failed, whose output is shown; `--help` lists all of them.
//
//   consumers.mjs  what is run     installs.mjs  what is installed for it, in which versions
//   work/          ways to run it  apps/         the applications' own files
//   harness/       the tarball, installations, nodes, processes
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leave, leaveCleanly, onEnd } from '../bench/harness/leaving.mjs';
import { report } from '../../.ci/set-up/set-up-error.mjs';
import { startNodes } from './harness/nodes.mjs';
import { optionsOrHelp } from './harness/options.mjs';
import { pack } from './harness/pack.mjs';
import { Program } from './harness/program.mjs';

/** @param {import('./harness/options.mjs').Options} options */
async function run(options) {
  const started = performance.now();
  const root = mkdtempSync(join(tmpdir(), 'redlock-consumers-'));
  onEnd(() => (options.keep ? console.log(`kept ${root}`) : rmSync(root, { recursive: true, force: true })));
  const nodes = await startNodes();
  const tarball = await pack(root, options.sabotage);
  const program = new Program({ root, tarball, nodes, isThorough: !options.quick });
  const failed = await program.runAll(options.consumers);
  const seconds = ((performance.now() - started) / 1e3).toFixed(0);
  console.log(`\n${options.consumers.length - failed.length} passed, ${failed.length} failed in ${seconds} s`);
  if (failed.length > 0) process.exitCode = 1;
}

const options = optionsOrHelp(process.argv.slice(2));
if (options !== undefined) {
  leaveCleanly();
  try {
    await run(options);
  } catch (error) {
    report(error);
  } finally {
    await leave();
  }
}
