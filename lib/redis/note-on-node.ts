import type { Moment } from '../core/time/clock.js';
import { LONGEST_SILENCE_IN_LINE } from '../core/port/claim.js';
import { noteKey, readNote, type NoteListener, type ProcessNote } from '../core/port/process-note.js';
import type { NodeParts } from './connection/node-parts.js';
import { commandOf } from './connection/wire/resp.js';
import type { Reply } from './connection/wire/wire-command.js';

export interface NoteTerms {
  readonly keyPrefix: string;
  /** What the values of this process begin with. */
  readonly processMark: string;
  /** Ms that a lease may last at most. */
  readonly maxTtl: number;
}

type Connection = ReturnType<NodeParts['connect']>;

/** Returns the command that leaves the note on a node for longer than any lease that begins before the next sign of life. */
function commandFor(note: ProcessNote, { keyPrefix, processMark, maxTtl }: NoteTerms): string {
  const lasts = LONGEST_SILENCE_IN_LINE + Math.max(LONGEST_SILENCE_IN_LINE, Math.floor(maxTtl));
  return commandOf('SET', noteKey(keyPrefix, processMark), JSON.stringify(note), 'PX', String(lasts));
}

/**
 * The note that one node keeps of this process. It is sent behind another command, at most once in `LONGEST_SILENCE_IN_LINE` ms: a process that
 * waits or holds sends commands at least that often. So it needs no timer, delays no lock, and a process that asks for nothing sends nothing.
 */
class NoteOnNode {
  /** Ms on our monotonic clock. */
  #due = -Infinity;

  constructor(
    private readonly command: string,
    private readonly send: Connection['send'],
  ) {}

  /** Leaves the note if its time has come; called when something else has been sent at `sent`. */
  follow(sent: Moment | undefined): void {
    if (sent === undefined || sent.monotonic < this.#due) return;
    this.#due = sent.monotonic + LONGEST_SILENCE_IN_LINE;
    this.send('set', this.command, this.#answered);
  }

  /** Makes the note due: the connection is new, and may lead to a server that does not have it. */
  expect(): void {
    this.#due = -Infinity;
  }

  readonly #answered = (reply: Reply): void => {
    // Nothing depends on the note. A node that refuses it is not asked again on this connection.
    if (!reply.ok && reply.refused) this.#due = Infinity;
  };
}

/** Asks the node at the other end of a connection, which can be used, for the note under a key. */
export function askForNote(connection: Pick<Connection, 'send'>, key: string, answered: NoteListener): void {
  connection.send('get', commandOf('GET', key), (reply) => {
    answered(reply.ok ? readNote(String(reply.value)) : undefined);
  });
}

/** Returns parts whose connections leave a note of this process on their nodes. */
export function noting(parts: NodeParts, note: ProcessNote, terms: NoteTerms): NodeParts {
  const command = commandFor(note, terms);
  const connect: NodeParts['connect'] = (address, listener) => {
    const connection = parts.connect(address, {
      ready: (redis) => listener.ready(redis),
      usable: () => {
        onNode.expect();
        listener.usable();
        onNode.follow(parts.clock.now());
      },
    });
    const send = connection.send.bind(connection);
    const onNode = new NoteOnNode(command, send);
    connection.send = (name, wire, settle) => {
      const sent = send(name, wire, settle);
      onNode.follow(sent);
      return sent;
    };
    return connection;
  };
  return { clock: parts.clock, connect };
}
