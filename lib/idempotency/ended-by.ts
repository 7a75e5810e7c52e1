import type { HttpException } from '@nestjs/common';
import { isHttpException, keptError } from './http-exceptions.js';
import type { Ended } from './outcome.js';
import { SecondValueError } from './only-value.js';

/** How a failed call is judged. */
interface Judgement {
  readonly keepsError: (error: HttpException) => boolean;
  readonly onInterrupted: 'rerun' | 'refuse';
  /** Whether the method had begun. */
  readonly hasRun: boolean;
}

/** Returns what stays of a call that has failed. */
export function endedBy(error: unknown, { keepsError, onInterrupted, hasRun }: Judgement): Ended {
  if (error instanceof SecondValueError) return { keep: { kind: 'tombstone', why: 'stream' } };
  const kept = keptError(error, keepsError);
  if (kept) return { keep: kept };
  const isKnown = onInterrupted === 'rerun' || !hasRun || (isHttpException(error) && error.getStatus() < 500);
  return { keep: isKnown ? 'nothing' : 'mark', error };
}
