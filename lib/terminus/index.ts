export { RedlockHealthIndicator } from './redlock-health.indicator.js';
export type { RedlockHealthOptions } from './redlock-health.indicator.js';
