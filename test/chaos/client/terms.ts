import type { StoreReply, StoreRequest } from '../stage/store.js';

/** What a client process is told when it is started. */
export interface ClientTerms {
  readonly client: string;
  readonly journal: string;
  readonly library: string;
  readonly nodes: readonly string[];
  readonly seed: number;
  readonly nodeTimeout: number;
  readonly maxTtl: number;
  readonly ttl: number;
  readonly restartQuarantine: boolean;
}

/** `go`: with everything; `calm`: short sections only; `rest`: nothing new. */
export type Mode = 'go' | 'calm' | 'rest';

/** One lock, asked for and given back at the harness's word. */
export interface TurnOrder {
  readonly id: string;
  readonly resource: string;
  readonly ttl: number;
  readonly waitTimeout: number;
  /** Ms. */
  readonly hold: number;
}

/** From the harness to a client. */
export type Order =
  | { readonly do: 'mode'; readonly mode: Mode }
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'turn'; readonly turn: TurnOrder }
  | { readonly do: 'reply'; readonly request: number; readonly reply: StoreReply };

/** From a client to the harness. */
export type Word =
  | { readonly say: 'open' | 'calm' | 'resting' }
  | { readonly say: 'store'; readonly request: number; readonly what: StoreRequest }
  | { readonly say: 'acquired' | 'failed' | 'over'; readonly id: string };
