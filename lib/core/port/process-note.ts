import { PROCESS } from './key-families.js';

/** What a process says about itself on each node. It is for operators only and never part of an answer to a client. */
export interface ProcessNote {
  readonly host: string;
  readonly pid: number;
  /** The name of the application, where it has one. */
  readonly application?: string | undefined;
  /** The version of this library. */
  readonly version: string;
  /** When the process was started, as an ISO date. */
  readonly since: string;
}

/** Receives the note of a process; undefined where there is none, or where it cannot be read. */
export type NoteListener = (note: ProcessNote | undefined) => void;

/** Returns the key of the note of the process with this mark. */
export function noteKey(keyPrefix: string, processMark: string): string {
  return `${keyPrefix}${PROCESS}${processMark}`;
}

/** Returns what a note says; undefined where it is none. */
export function readNote(text: string | null | undefined): ProcessNote | undefined {
  try {
    const note = JSON.parse(text ?? '') as Partial<ProcessNote> | null;
    const isNote = typeof note?.host === 'string' && typeof note.pid === 'number' && typeof note.since === 'string';
    const isNamed = note?.application === undefined || typeof note.application === 'string';
    return isNote && isNamed ? (note as ProcessNote) : undefined;
  } catch {
    return undefined;
  }
}
