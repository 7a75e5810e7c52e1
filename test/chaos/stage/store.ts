import { machineTime } from '../record.js';

export interface StoreRequest {
  readonly verb: 'read' | 'write';
  readonly id: string;
  readonly resource: string;
  readonly token: number;
  /** What a write puts there: one more than it read. */
  readonly plain: number;
  readonly fenced: number;
}

export interface StoreReply {
  readonly plain: number;
  readonly fenced: number;
  /** Whether the fenced store took it. */
  readonly accepted: boolean;
}

/** A write to the plain counter that undid another's. */
export interface LostUpdate {
  readonly resource: string;
  readonly writer: string;
  readonly other: string;
  readonly at: number;
}

interface Cell {
  plain: number;
  plainWriter: string;
  fenced: number;
  highest: number;
  fencedWriter: string;
}

/**
 * What the locks guard, twice: a counter that any client may write (W2), and one that refuses a client with a token
 * below the highest it has seen (W3). A holder reads both, stays for a while, and writes one more.
 */
export class Store {
  readonly lostUpdates: LostUpdate[] = [];
  /** What the fenced counter must never see: a write that undid another's, or one token of two holders. */
  readonly fencedFaults: string[] = [];
  writes = 0;
  refused = 0;
  readonly #cells = new Map<string, Cell>();

  serve(request: StoreRequest): StoreReply {
    const cell = this.#cell(request.resource);
    const accepted = this.#admit(cell, request);
    if (request.verb === 'write') this.#write(cell, request, accepted);
    return { plain: cell.plain, fenced: cell.fenced, accepted };
  }

  /** Reads count too: a client that reads with a token has shown that it is the highest. */
  #admit(cell: Cell, { id, token, resource }: StoreRequest): boolean {
    if (token < cell.highest) {
      this.refused += 1;
      return false;
    }
    if (token === cell.highest && id !== cell.fencedWriter)
      this.fencedFaults.push(`${id} and ${cell.fencedWriter} have the same token ${token} of ${resource}`);
    cell.highest = token;
    cell.fencedWriter = id;
    return true;
  }

  #write(cell: Cell, { id, resource, plain, fenced }: StoreRequest, accepted: boolean): void {
    this.writes += 1;
    if (plain !== cell.plain + 1)
      this.lostUpdates.push({ resource, writer: id, other: cell.plainWriter, at: machineTime() });
    cell.plain = plain;
    cell.plainWriter = id;
    if (!accepted) return;
    if (fenced !== cell.fenced + 1) this.fencedFaults.push(`${id} undid a write to the fenced ${resource}`);
    cell.fenced = fenced;
  }

  #cell(resource: string): Cell {
    const found = this.#cells.get(resource);
    if (found) return found;
    const made = { plain: 0, plainWriter: '', fenced: 0, highest: 0, fencedWriter: '' };
    this.#cells.set(resource, made);
    return made;
  }
}
