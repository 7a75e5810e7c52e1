import { processMarkOf } from '../../core/collections/random.js';
import { noteKey, readNote, type ProcessNote } from '../../core/port/process-note.js';
import type { NodeSession } from '../nodes/node-session.js';

const NOTES_PER_CALL = 500;

/** A process that holds a lock or waits for one. */
export interface Holder extends Partial<ProcessNote> {
  /** The beginning of all values of the process; undefined for a value of another library. */
  readonly mark?: string | undefined;
}

/** Returns the process that made each value, as far as any node knows. */
export async function holdersOf(
  sessions: readonly NodeSession[],
  values: Iterable<string>,
): Promise<Map<string, Holder>> {
  const marks = [...new Set([...values].map(processMarkOf))].filter((mark) => mark !== undefined);
  const notes = new Map<string, ProcessNote>();
  await Promise.all(sessions.map((session) => readNotes(session, marks, notes)));
  return new Map(
    [...values].map((value) => {
      const mark = processMarkOf(value);
      return [value, mark === undefined ? {} : { mark, ...notes.get(mark) }];
    }),
  );
}

async function readNotes(
  session: NodeSession,
  marks: readonly string[],
  notes: Map<string, ProcessNote>,
): Promise<void> {
  for (let at = 0; at < marks.length; at += NOTES_PER_CALL) {
    const some = marks.slice(at, at + NOTES_PER_CALL);
    const keys = some.map((mark) => noteKey(session.settings.prefix, mark));
    // Without the notes the marks are still told.
    const texts = await session.ask((redis) => redis.mget(keys)).catch(() => []);
    texts.forEach((text, index) => {
      const note = readNote(text);
      if (note) notes.set(some[index]!, note);
    });
  }
}

/** Returns a holder in one line. */
export function named({ mark, host, pid, application }: Holder): string {
  if (mark === undefined) return 'another library';
  if (host === undefined) return `process ${mark}, which says nothing of itself`;
  return `${application === undefined ? '' : `${application} on `}${host}, pid ${pid} (${mark})`;
}
