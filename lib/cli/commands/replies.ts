import { quorumOf } from '../../engine/pool.js';
import { exitCodeOf, type Outcome } from '../io.js';
import { named } from '../locks/lock-view.js';
import type { ListOptions } from '../locks/list-locks.js';
import type { NodeSession } from '../nodes/node-session.js';
import { duration, paragraph, plain, solid, table } from '../output/layout.js';
import { listReplies, type ReplyList } from '../replies/list-replies.js';
import type { ReplyView } from '../replies/reply-view.js';
import { missedText } from './ls.js';

const HEAD = ['KEY', 'STATE', 'COPIES', 'AGE', 'EXPIRES IN', 'ATTEMPTS', 'BYTES', 'BY'];

/** Lists the replies that the nodes keep; never what stands in them. */
export async function replies(sessions: readonly NodeSession[], options: ListOptions): Promise<Outcome> {
  const list = await listReplies(sessions, options);
  const [quorum, answered] = [quorumOf(sessions.length), sessions.length - list.missed.length];
  const nodes = sessions.map(({ name, isUp }) => {
    const reason = list.missed.find(({ node }) => node === name)?.reason;
    return { node: name, up: isUp, reason };
  });
  return {
    code: exitCodeOf(answered, sessions.length, quorum),
    json: { nodes, quorum, answered, replies: list.replies, more: list.isCut },
    text: (columns) => listText(list, sessions.length, { pattern: options.pattern, columns }),
  };
}

function listText(
  list: ReplyList,
  nodes: number,
  { pattern, columns }: { readonly pattern: string; readonly columns: number },
): string {
  const { isCut, missed } = list;
  const lines = isCut ? ['... and more: give a pattern, or a greater --limit'] : [];
  if (missed.length > 0)
    lines.push(`${nodes - missed.length} of ${nodes} nodes answered: more may be kept on the others.`);
  else if (list.replies.length === 0)
    lines.push(`No replies are kept${pattern === '*' ? '' : ` for ${plain(pattern)}`}.`);
  const texts = lines.map((line) => paragraph(line, columns));
  if (list.replies.length > 0) texts.unshift(replyTable(list.replies, nodes, columns));
  return [...texts, ...missedText(missed, columns)].join('\n');
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
