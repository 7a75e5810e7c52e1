import { RedlockService, type Lock } from 'nestjs-redlock';

export declare class Ledger {
  constructor(redlock: RedlockService);
  book<T>(order: string, work: (lock: Lock) => Promise<T>): Promise<T>;
  entry(order: string): Promise<string>;
}
export declare const LedgersRedlockService: typeof RedlockService;
