// `npm run chaos`: five real Redis nodes, many client processes, and everything that can go wrong between them.
//
//   npm run chaos                                     a minute with every fault
//   npm run chaos -- --minutes 60 --out docs/chaos    the long run, with its report and its page
//   npm run chaos -- --seconds 20 --nemeses kill-three,freeze-node
//   npm run chaos -- --minutes 3 --no-forgetting      no node loses its memory: all callers of a key are told the same
//   npm run chaos -- --rounds 100                     three of five killed while a lock is held, a hundred times
//   npm run chaos -- --rounds 3 --quarantine off      the same without the protection: it has to be caught
//
// It ends with 1 where two held a lock at once, where a token went back, where waiters were not served again after the
// faults, where keys were left behind, where more held permits than may, where two led at once, where nobody led after
// the faults, or where callers of one key were told two answers although no node forgot. The page that it writes shows
// what happened; `--help` lists all options.
//
//   stage/    nodes, the ways to them, client processes     check/    what has to hold, as pure functions
//   client/   the program of a client process               report/   the page, the figures
//   nemeses/  one file for each kind of fault               specials/ runs with a fixed course, and sabotage
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from './compile.mjs';

// First the harness itself, then, where --sabotage asks for it, a library of its own for the clients.
const compiled = await compile();
try {
  const { main } = await import(pathToFileURL(join(compiled.folder, 'test/chaos/main.js')).href);
  process.exitCode = await main(process.argv.slice(2), { folder: compiled.folder, compile });
} finally {
  await compiled.remove();
}
