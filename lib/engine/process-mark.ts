import type { LockHolder } from '../core/api/errors.js';

/** Characters of each part of the mark at most. */
const LONGEST_PART = 40;
const MARK = /^([\w.-]+)@([\w.-]+)#(\d+)$/;

/** What a process says about itself, at the beginning of the values of its locks. */
export interface ProcessDetails {
  readonly application: string | undefined;
  readonly host: string;
  readonly pid: number;
}

/** Returns the mark of a process, such as `orders@web-1#4711`: what all values of its locks begin with. */
export function markOf({ application = 'node', host, pid }: ProcessDetails): string {
  return `${plain(application)}@${plain(host)}#${pid}`;
}

/** Returns who has this value; undefined for the value of another library. */
export function holderOf(value: string): LockHolder | undefined {
  const holder = value.slice(0, value.indexOf(':'));
  const [, application, host, pid] = MARK.exec(holder) ?? [];
  if (application === undefined) return undefined;
  return { holder, process: { application, host: host!, pid: Number(pid) } as LockHolder['process'] };
}

/** Returns a text of printable characters without a space, a colon or a separator of the mark. */
function plain(text: string): string {
  return text.slice(0, LONGEST_PART).replace(/[^\w.-]/g, '_') || '_';
}
