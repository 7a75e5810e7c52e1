import type { Outcome } from '../io.js';
import { named } from '../locks/lock-view.js';
import type { ListOptions } from '../locks/list-locks.js';
import type { NodeSession } from '../nodes/node-session.js';
import { duration, plain, solid, table } from '../output/layout.js';
import { listReplies, type ReplyList, type ReplyView } from '../replies/reply-view.js';
import { listOutcome } from './ls.js';

const HEAD = ['KEY', 'STATE', 'COPIES', 'AGE', 'EXPIRES IN', 'ATTEMPTS', 'BYTES', 'BY'];

/** Lists the replies that the nodes keep; never what stands in them. */
export async function replies(sessions: readonly NodeSession[], { pattern, limit }: ListOptions): Promise<Outcome> {
  const list = await listReplies(sessions, { pattern, limit });
  const { length } = sessions;
  return listOutcome(sessions, list, {
    json: { replies: list.replies },
    table: list.replies.length > 0 ? (columns) => replyTable(list.replies, length, columns) : undefined,
    conclusion: conclusion(list, length, pattern),
  });
}

function conclusion({ missed, replies: found }: ReplyList, nodes: number, pattern: string): string | undefined {
  if (missed.length > 0) return `${nodes - missed.length} of ${nodes} nodes answered: more may be kept on the others.`;
  if (found.length > 0) return undefined;
  return `No replies are kept${pattern === '*' ? '' : ` for ${plain(pattern)}`}.`;
}

export function replyTable(views: readonly ReplyView[], nodes: number, columns: number): string {
  return table(
    HEAD,
    views.map((view) => rowOf(view, nodes)),
    columns,
  );
}

function rowOf({ key, state, copies, age, expiresIn, attempts, size, holder }: ReplyView, nodes: number): string[] {
  return [
    plain(key),
    state,
    `${copies}/${nodes}`,
    solid(duration(age)),
    expiresIn === null ? 'no end' : solid(duration(expiresIn)),
    String(attempts),
    String(size),
    plain(named(holder)),
  ];
}
