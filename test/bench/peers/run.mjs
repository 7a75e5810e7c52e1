// `node test/bench/peers/run.mjs`: @Idempotent beside other packages for Nest that keep replies, by what their users see.
//
//   node test/bench/peers/run.mjs                               installs each package, asks all questions, prints the table
//   node test/bench/peers/run.mjs --out docs/bench              writes replies.md and replies.json there
//   node test/bench/peers/run.mjs --only ours                   some candidates; what is written of the others stays
//   node test/bench/peers/run.mjs --dist /tmp/dist              our package as `node .ci/build.mjs /tmp/dist` made it
//   node test/bench/peers/run.mjs --tarball @nestarc/idempotency=/tmp/x.tgz     in place of the registry's package;
//                                                               =... behind it says on the page where it is from
//
// It needs Node.js, a registry, and redis-server or valkey-server on the PATH. Each candidate is installed into a temporary folder
// and runs there as two replicas of one application (apps/application.mjs), each a process. What cannot be installed is left out, and
// the page says so. It asserts nothing: it ends with 0 whatever it saw.
//
//   candidates.mjs  what is installed, with which options     apps/  the application, and how each package gets into it
//   questions.mjs   what is asked     replicas.mjs  processes     page.mjs  the table
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { leave, leaveCleanly, onEnd } from '../harness/leaving.mjs';
import { Servers } from '../redis/servers.mjs';
import { machine } from '../report/machine.mjs';
import { CANDIDATES } from './candidates.mjs';
import { installer } from './installation.mjs';
import { pageOf } from './page.mjs';
import { QUESTIONS } from './questions.mjs';
import { Replicas } from './replicas.mjs';

/** @typedef {Record<string, string>} Answers by question */
/** @typedef {{ candidate: string, title: string, uses: string, versions?: Record<string, string>, answers?: Answers, note?: string }} Row */
/** @typedef {{ machine: ReturnType<typeof machine>, rows: Row[] }} Compared */

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string' },
    dist: { type: 'string' },
    tarball: { type: 'string', multiple: true, default: [] },
  },
});

leaveCleanly();
try {
  await compare();
} finally {
  await leave();
}

async function compare() {
  const root = mkdtempSync(join(tmpdir(), 'redlock-peers-'));
  onEnd(() => rmSync(root, { recursive: true, force: true }));
  const servers = new Servers();
  await servers.start();
  const install = installer(root, { dist: values.dist, tarballs: values.tarball });
  const chosen = values.only?.split(',');
  /** @type {Row[]} */
  const rows = [];
  for (const candidate of CANDIDATES.filter(({ name }) => chosen?.includes(name) ?? true)) {
    const { name, title, uses } = candidate;
    const row = { candidate: name, title, uses };
    try {
      const { folder, versions } = await install(candidate);
      console.log(`\n${title}`);
      const answers = await answersOf(new Replicas({ folder, candidate, ports: servers.ports }));
      rows.push({ ...row, versions, answers });
    } catch (error) {
      rows.push({ ...row, note: /** @type {Error} */ (error).message });
      console.log(`\n${title}: ${/** @type {Error} */ (error).message}`);
    }
  }
  const compared = { machine: machine(servers.version), rows };
  if (values.out === undefined) console.log(pageOf(compared));
  else write(values.out, compared);
}

/** @param {Replicas} replicas @returns {Promise<Answers>} */
async function answersOf(replicas) {
  try {
    await replicas.start();
    /** @type {Answers} */
    const answers = {};
    for (const { name, ask } of QUESTIONS) {
      answers[name] = await ask(replicas).catch((error) => `not measured: ${error.message}`);
      console.log(`  ${name}: ${answers[name]}`);
    }
    return answers;
  } finally {
    await replicas.end();
  }
}

/** @param {string} folder @param {Compared} compared */
function write(folder, compared) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'replies.json');
  const before = existsSync(path) ? /** @type {Compared} */ (JSON.parse(readFileSync(path, 'utf8'))).rows : [];
  const rows = CANDIDATES.flatMap(({ name }) => {
    const isIt = (/** @type {Row} */ { candidate }) => candidate === name;
    return compared.rows.find(isIt) ?? before.find(isIt) ?? [];
  });
  const all = { ...compared, rows };
  writeFileSync(path, `${JSON.stringify(all, undefined, 1)}\n`);
  writeFileSync(join(folder, 'replies.md'), pageOf(all));
  console.log(`\nWritten to ${folder}`);
}
