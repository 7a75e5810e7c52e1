const CONCURRENCIES = [1, 16, 64, 256];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const alone = {
  name: 'alone',
  title: 'Alone: acquire and release of names that nobody else wants',
  variants: CONCURRENCIES.map((concurrency) => ({
    name: `${concurrency}`,
    title: `concurrency ${concurrency}`,
    params: { concurrency },
    isLong: concurrency === 16,
  })),
  candidates: (chosen) => chosen,
  baseline: 'raw',
  columns: [
    { figure: 'opsPerSecond', title: 'pairs/s', digits: 0, against: 'ratio' },
    { figure: 'p50', title: 'p50 ms', digits: 3, against: 'ratio' },
    { figure: 'p99', title: 'p99 ms', digits: 3, against: 'ratio' },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 1, against: 'ratio' },
    { figure: 'serverCpu', title: 'server CPU µs', digits: 1, against: 'ratio' },
    { figure: 'commands', title: 'commands', digits: 2 },
    { figure: 'bytes', title: 'bytes', digits: 0 },
  ],

  async run(context) {
    const { params, quick } = context;
    const length = quick ? 600 : 2_000;
    const timed = await context.alone('alone', { ...params, warmUp: length / 2, length });
    // Counted apart: a proxy between would be measured with the candidate.
    const counted = context.round === 0 && !quick ? await countPairs(context) : {};
    return { ...timed, serverCpu: (timed.serverCpuMs / timed.pairs) * 1e3, ...counted };
  },
};

/** @param {import('../harness/context.mjs').Context} context */
async function countPairs(context) {
  const { params } = context;
  const pairs = Math.max(200, params.concurrency * 10);
  const { figures, commands, bytes } = await context.counted('alone', { ...params, warmUp: 100, pairs });
  return { commands: commands / figures.pairs, bytes: bytes / figures.pairs };
}
