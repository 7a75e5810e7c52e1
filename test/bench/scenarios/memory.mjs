const LIMIT_MS = 300_000;

/** @type {import('../harness/rounds.mjs').Scenario} */
export const memory = {
  name: 'memory-million',
  title: 'A million pairs at concurrency 64 (others 100,000; with --quick all 25,000): what stays in memory',
  variants: [{ name: 'growth', params: { concurrency: 64 } }],
  candidates: (chosen) => chosen,
  columns: [
    { figure: 'pairs', title: 'pairs', digits: 0 },
    { figure: 'grown', title: 'growth after warm-up KB', digits: 0 },
    { figure: 'perPair', title: 'bytes per pair', digits: 2 },
    { figure: 'warmUp', title: 'warm-up KB', digits: 0 },
    { figure: 'failures', title: 'failures', digits: 0 },
  ],

  run(context) {
    const { candidate, quick, params } = context;
    const whole = candidate === 'ours' ? 1_000_000 : 100_000;
    return context.alone('memory', { ...params, pairs: quick ? 25_000 : whole }, { limit: LIMIT_MS });
  },
};
