import type { TermEnd } from '../../lib/engine/events.js';

/** The resource that so many may hold at once. */
export const PERMITS = { resource: 'permits', limit: 3 } as const;
/** The role for which all client processes campaign. */
export const ROLE = 'chaos';

/** What a client process writes down, as it happens: times are ms of the monotonic clock that all processes share. */
export type ClientRecord =
  | { readonly what: 'asked'; readonly id: string; readonly at: number; readonly resources: readonly string[] }
  | {
      readonly what: 'acquired';
      readonly id: string;
      readonly at: number;
      readonly until: number;
      /** What `until` may be at most: the process may stand still while it looks. */
      readonly latest: number;
      readonly token: number;
      readonly value: string;
      /** The slots that it is, of a resource that several may hold at once. */
      readonly slots?: readonly number[] | undefined;
    }
  /** A process leads; its clean-up is over at `released`. */
  | {
      readonly what: 'elected';
      readonly id: string;
      readonly at: number;
      readonly until: number;
      readonly latest: number;
      readonly token: number;
      readonly resource: string;
    }
  /** A term is over, and its clean-up begins. */
  | {
      readonly what: 'ended';
      readonly id: string;
      readonly at: number;
      readonly token: number;
      readonly reason: TermEnd;
    }
  | {
      readonly what: 'extended';
      readonly id: string;
      readonly at: number;
      readonly until: number;
      readonly latest: number;
    }
  /** What a holder sees of its lock after it has blocked its event loop; `left` in ms. */
  | {
      readonly what: 'looked';
      readonly id: string;
      readonly at: number;
      readonly left: number;
      readonly aborted: boolean;
    }
  | { readonly what: 'released' | 'lost'; readonly id: string; readonly at: number }
  | { readonly what: 'failed'; readonly id: string; readonly at: number; readonly code: string }
  /** A call for work that is to be done once for a key. */
  | { readonly what: 'once'; readonly id: string; readonly at: number; readonly key: string }
  /** Its work began. */
  | { readonly what: 'ran'; readonly id: string; readonly at: number }
  /** What its caller was told: the id of the call whose work it was. */
  | {
      readonly what: 'told';
      readonly id: string;
      readonly at: number;
      readonly answer: string;
      /** Whether it was told by an event that no quorum has the answer, so that others may be told another one. */
      readonly isUnkept: boolean;
    }
  | { readonly what: 'untold'; readonly id: string; readonly at: number; readonly code: string }
  /** The process stood still from `from` on. */
  | { readonly what: 'stall'; readonly from: number; readonly at: number }
  | { readonly what: 'node'; readonly at: number; readonly event: string; readonly node: string; readonly why: string }
  /** What must not happen in any application: unhandled rejections and errors of an unknown kind. */
  | { readonly what: 'trouble'; readonly at: number; readonly reason: string };

/** The records of one client process. */
export interface ClientRecords {
  readonly client: string;
  readonly records: readonly ClientRecord[];
}

/** One ask for a lock on one resource, and what came of it. */
export interface Ask {
  readonly id: string;
  readonly client: string;
  readonly resource: string;
  readonly asked: number;
  /** Undefined where the run or the process ended before. */
  readonly answered: number | undefined;
  /** The code of the error; undefined where the lock was given. */
  readonly code: string | undefined;
}

/** One lock on one resource, from the answer to the end of what its holder may claim. */
export interface Hold {
  readonly id: string;
  readonly client: string;
  readonly resource: string;
  readonly token: number;
  readonly from: number;
  /** The first of: the call of release, the abort of its signal, the end of its validity. */
  readonly to: number;
  /** The end of its validity, as its holder last knew it. */
  readonly until: number;
  /** When its signal aborted. */
  readonly lost: number | undefined;
  /** Undefined for an ordinary lock. */
  readonly kind?: 'permit' | 'term' | undefined;
  /** Why a term ended; undefined where the process ended before. */
  readonly reason?: TermEnd | undefined;
  /** When the clean-up of a term was over, however the term ended; undefined where the process ended before. */
  readonly cleaned?: number | undefined;
}

/** What a holder saw of its lock after it had blocked its event loop. */
export interface Look {
  readonly id: string;
  readonly at: number;
  /** The end of its validity, as it was last told, at the latest. */
  readonly latest: number;
  /** Ms that it believed to have. */
  readonly left: number;
  readonly aborted: boolean;
}

/** One call for work that is to be done once for its key, and what came of it. */
export interface OnceAnswer {
  readonly id: string;
  readonly key: string;
  readonly ran: boolean;
  readonly isUnkept: boolean;
  /** Undefined where it failed, or where the run or the process ended before. */
  readonly answer: string | undefined;
}

export interface Fault {
  readonly name: string;
  /** `node 1`, `client 2`, or `way 2-1`: the way from client 2 to node 1. */
  readonly where: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Ms of the clock that all processes of a machine share. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
