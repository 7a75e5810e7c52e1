import type { RedisOptions } from 'ioredis';
import { inspect } from 'node:util';
import type { AbortSource } from '../../../engine/abort.js';
import type { Clock } from '../../../engine/clock.js';
import { isTls, kindOf, misplacedInTls, plainTls } from './option-values.js';

/** What `credentials()` of a node returns before each connection. */
export interface NodeCredentials {
  /** The ACL user. @default the default user of the node */
  username?: string | undefined;
  /** The password, or an IAM token. @default required, unless `tls` is set */
  password?: string | undefined;
  /** TLS options such as `ca`, `cert` and `key`, which replace those in `tls` of the node. @default the `tls` of the node */
  tls?: RedisOptions['tls'];
}

export type CredentialsFunction = () => NodeCredentials | Promise<NodeCredentials>;

/** Ms that `credentials()` may take to answer; after that it counts as failed, and is called again later. */
const ANSWERED_WITHIN = 10_000;
const NAMES: readonly string[] = ['username', 'password', 'tls'] satisfies (keyof NodeCredentials)[];

/**
 * Calls `credentials()` of a node, and waits for the answer until `closing` stops.
 * @throws Error that says why there are no credentials; it shows nothing of what the function has returned
 */
export async function askForCredentials(
  credentials: CredentialsFunction,
  clock: Pick<Clock, 'schedule'>,
  closing: AbortSource,
): Promise<NodeCredentials> {
  const stops: (() => void)[] = [];
  const end = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new Error(`it has not answered within ${ANSWERED_WITHIN} ms`));
    stops.push(clock.schedule(ANSWERED_WITHIN, fail), closing.listen(reject));
  });
  try {
    // Async, since the function may close the pool and then throw: `end` must be awaited also then.
    const asked = (async () => credentials())();
    return checked(await Promise.race([asked, end]));
  } finally {
    for (const stop of stops) stop();
  }
}

/** @throws TypeError for anything that nobody could log in with, or that leads to another server */
function checked(answer: unknown): NodeCredentials {
  const problem = problemOf(answer);
  if (problem !== undefined) throw new TypeError(`it has to return { username?, password?, tls? }, ${problem}`);
  const { username, password, tls } = answer as NodeCredentials;
  return { username, password, tls: plainTls(tls) as NodeCredentials['tls'] };
}

function problemOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `and has returned ${kindOf(answer)}`;
  const unknown = Object.keys(answer).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) return `and there is no ${inspect(unknown)} among them`;
  const { username, password, tls: given } = answer as Record<string, unknown>;
  const tls = plainTls(given);
  for (const [name, value] of Object.entries({ username, password })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      return `and ${name} is ${kindOf(value)} instead of a text`;
  }
  if (!isTls(tls)) return `and tls is ${kindOf(tls)}`;
  const misplaced = misplacedInTls(tls);
  if (misplaced !== undefined) return `and tls.${misplaced} says where the node is, which belongs into its address`;
  if (username !== undefined && password === undefined) return 'and has returned a username without a password';
  return password === undefined && tls === undefined ? 'and has returned neither a password nor tls' : undefined;
}
