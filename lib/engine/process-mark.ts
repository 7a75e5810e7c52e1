/** Characters of each part of the mark at most: a host name has no more. */
const LONGEST_PART = 63;
const MARK = /^([\w.-]+)@([\w.-]+)#(\d+)$/;

/** What a process writes about itself into the values of its locks. Answers to clients leave it out. */
export interface ProcessNote {
  /** The name of the application; 'node' if it has none. */
  readonly application: string;
  /** The name of the host. */
  readonly host: string;
  /** The id of the process. */
  readonly pid: number;
}

/** Who holds a resource, for logs. Keep it out of answers to clients. */
export interface LockHolder {
  /** The mark of the process, such as `orders@web-1#4711`. The values of its locks begin with this mark. */
  readonly holder: string;
  /** The parts of the mark. */
  readonly process: ProcessNote;
}

/** Returns the mark of a process, such as `orders@web-1#4711`: what all values of its locks begin with. */
export function markOf({ application, host, pid }: ProcessNote): string {
  return `${plain(application)}@${plain(host)}#${pid}`;
}

/** Returns who has this value; undefined for the value of another library. */
export function holderOf(value: string): LockHolder | undefined {
  const holder = value.slice(0, value.indexOf(':'));
  const [, application, host, pid] = MARK.exec(holder) ?? [];
  if (application === undefined) return undefined;
  return { holder, process: { application, host: host!, pid: Number(pid) } };
}

/** Returns a text of printable characters without a space, a colon or a separator of the mark. */
function plain(text: string): string {
  return text.slice(0, LONGEST_PART).replace(/[^\w.-]/g, '_') || '_';
}
