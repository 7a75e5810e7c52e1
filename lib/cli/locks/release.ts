import { Claim } from '../../core/port/claim.js';
import type { ReleaseAnswer, Unknown } from '../../core/port/lock-node.js';
import { SingleCall } from '../../core/port/single-call.js';
import type { RedisNode } from '../../redis/redis-node.js';
import { inTime } from '../nodes/in-time.js';
import { withLockNodes } from '../nodes/lock-nodes.js';
import type { NodeSession } from '../nodes/node-session.js';
import { maxTtlOf } from '../settings.js';

/** What has come of a release on one node. */
export interface Released {
  readonly node: string;
  /** `gone`: the node had another value, or none. */
  readonly kind: 'released' | 'gone' | 'failed';
  readonly reason?: string | undefined;
}

/**
 * Releases this value of a resource, and no other, as its holder would: in the same step, the first in line gets the resource. A node with a
 * marker is asked with quarantine, so that one that may have forgotten locks gives none away; on a node without one nothing is noted.
 */
export function releaseOn(sessions: readonly NodeSession[], resource: string, value: string): Promise<Released[]> {
  return withLockNodes(sessions, { quarantine: ({ marker }) => marker !== undefined }, (nodes) =>
    Promise.all(
      nodes.map(async (node, index): Promise<Released> => {
        const { settings, marker } = sessions[index]!;
        const claim = new Claim([resource], value);
        const answer = await answerOf(node, {
          claim,
          ttl: maxTtlOf(settings, marker?.longest),
          timeout: settings.timeout,
        });
        return answer.kind === 'unknown'
          ? { node: node.name, kind: 'failed', reason: answer.reason }
          : { node: node.name, kind: answer.kind };
      }),
    ),
  );
}

async function answerOf(
  node: RedisNode,
  { claim, ttl, timeout }: { readonly claim: Claim; readonly ttl: number; readonly timeout: number },
): Promise<ReleaseAnswer | Unknown> {
  const answer = new Promise<ReleaseAnswer | Unknown>((resolve) =>
    node.release(new SingleCall(claim, ttl, resolve), 0),
  );
  return inTime(answer, timeout).catch((error: Error) => ({ kind: 'unknown', reason: error.message, sent: true }));
}
