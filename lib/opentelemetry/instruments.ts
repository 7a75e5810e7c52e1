import type { Histogram, Meter, ObservableGauge, ObservableUpDownCounter } from '@opentelemetry/api';

/** Seconds, from a lock that nobody else wants to one that is waited for. */
const WAITS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds, for one question to one node or to all of them. */
const ANSWERS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Creates a histogram of what takes as long as waiting for a lock, or holding it. */
export function waitHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: WAITS } });
}

/** Creates a histogram of what takes as long as the answers of nodes. */
export function answerHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: ANSWERS } });
}

export function counts(meter: Meter, name: string, [unit, description]: [string, string]): ObservableUpDownCounter {
  return meter.createObservableUpDownCounter(name, { unit, description });
}

export function gauge(meter: Meter, name: string, [unit, description]: [string, string]): ObservableGauge {
  return meter.createObservableGauge(name, { unit, description });
}
