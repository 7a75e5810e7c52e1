import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm start [-- --once]

  --once  end after the race; the exit code is 0 only if the locked race made exactly one user
  --help  show this

Settings come from the environment or from sample-app/.env: see sample-app/.env.example.`;

/** @param {string[]} args @returns {{ once?: boolean, help?: boolean } | Error} what to do, or what is wrong */
export function readArguments(args) {
  try {
    return parseArgs({ args, options: { once: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    return /** @type {Error} */ (error);
  }
}
