import { posix } from 'node:path';

export interface Link {
  /** The file that the link leads to, from the top of the project. */
  readonly file: string;
  /** The heading in that file, as it stands in an address; empty for the whole page. */
  readonly anchor: string;
}

/** The links and images of a page that lead to files of the project; code is not read. */
export function relativeLinks(page: string, text: string): Link[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { file: path === '' ? page : posix.join(posix.dirname(page), path), anchor };
    });
}

/** The anchors of a page: those in HTML, and those of its headings, made as code hosts and package registries make them. */
export function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const prose = text.replace(/^```.*?^```/gms, '');
  const headings = [...prose.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => numbered(slug(heading!), seen));
  return new Set([...headings, ...[...prose.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id!)]);
}

function slug(heading: string): string {
  const words = heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase();
  return words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

/** A heading that stands there twice has a number from its second time on. */
function numbered(anchor: string, seen: Map<string, number>): string {
  const times = seen.get(anchor) ?? 0;
  seen.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, 'code');
}
