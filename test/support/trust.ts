import type { TrustTerms } from '../../lib/redis/batch/batch-encoder.js';

/** For tests that do not want to wait for new nodes, and that hold locks for long. */
export const TRUSTING: TrustTerms = { maxTtl: 10_000_000, restartQuarantine: false };
