import type { Clock } from '../../core/time/clock.js';
import type { NodeEvent } from '../../core/port/lock-node.js';
import { isWithoutLua } from '../batch/lua.js';
import { refusal, type NodeAnswer } from '../batch/reply-decoder.js';
import type { Reply } from '../connection/wire/wire-command.js';

/** Ms without a refusal after which a vote shows that the refusals are over: a node may grant some requests while it refuses others. */
const CALM = 1_000;
const NONE = -1;

/** How to find out which permissions are missing. */
const RIGHTS = 'npx nestjs-redlock doctor lists what is missing';

/** What to do about an error of a node. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(READONLY|MASTERDOWN)/, 'it is a replica: point the pool at the master'],
  [/^OOM/, 'its memory is full: raise its maxmemory, and keep other data elsewhere'],
  [/^NOREPLICAS/, 'its min-replicas-to-write wants more replicas than there are: repair them, or set it to 0'],
  [/^NOPERM .*'eval(sha)?'/i, `grant its user +eval +evalsha, by which all locks work; ${RIGHTS}`],
  // Inside of a script Redis has words of its own for it, up to 7.0 others than from 7.2 on, and so has Valkey.
  [
    /^NOPERM|^ERR (The user executing the|ACL failure in) script/,
    `grant its user the permissions of docs/waiting.md; ${RIGHTS}`,
  ],
  [/^MISCONF/, 'it cannot save to its disk: its own log says why'],
  [/^BUSY/, "somebody's script keeps it busy: find out whose"],
  [/^(CLUSTERDOWN|CROSSSLOT|MOVED|ASK|TRYAGAIN)\b/, 'it runs in cluster mode: name independent masters'],
  [/^LOADING/, 'it reads its file, and votes when it is through'],
  [/^the clocks of client and node/, 'set both right, by NTP'],
];

/** Returns the reason of a refusal, with what to do about it where that is known. */
export function advised(reason: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  return advice === undefined ? reason : `${reason.replace(/\.$/, '')} - ${advice}`;
}

/** Returns why a node refuses something that it would refuse to everybody; undefined for any other answer. */
export function refusalIn(answer: NodeAnswer): string | undefined {
  // WRONGTYPE: another program has stored a value of another type under the key of a line, which says nothing about the node.
  return answer.kind === 'unknown' && answer.refused && !answer.reason.startsWith('WRONGTYPE')
    ? answer.reason
    : undefined;
}

/** Reports once that a node refuses its votes, and once that it votes again. */
export class Refusals {
  /** When the node refused last, whole ms on our monotonic clock; `NONE` unless it is reported as refusing. */
  #latest = NONE;

  constructor(private readonly link: { notify(event: NodeEvent): void; readonly clock: Pick<Clock, 'now'> }) {}

  /** Takes the answer to a request for a vote. */
  note(vote: NodeAnswer): void {
    // The usual case comes first, because this runs for every vote.
    if (vote.kind === 'granted') return this.#latest === NONE ? undefined : this.#granted();
    const reason = refusalIn(vote);
    if (reason === undefined) return;
    const isNew = this.#latest === NONE;
    this.#latest = this.#now();
    if (isNew) this.link.notify({ type: 'node-refused', reason: advised(reason) });
  }

  /** Takes any reply: a node that runs no scripts shows that with the first of them, before anybody wants a vote. */
  heard(reply: Reply): void {
    if (!reply.ok && reply.refused && isWithoutLua(reply.reason)) this.note(refusal(reply.reason));
  }

  #granted(): void {
    if (this.#now() - this.#latest < CALM) return;
    this.#latest = NONE;
    this.link.notify({ type: 'node-accepted' });
  }

  #now(): number {
    return Math.ceil(this.link.clock.now().monotonic);
  }
}
