import type { Io } from '../io.js';

/** What has come of a command. */
export interface Outcome {
  readonly code: number;
  /** For people. */
  readonly text: string;
  /** For machines. */
  readonly json: object;
}

export function show({ text, json }: Outcome, asJson: boolean, io: Pick<Io, 'print'>): void {
  io.print(asJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
}
