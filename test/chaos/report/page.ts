import { escaped } from './svg.js';

export interface PageChapter {
  readonly title: string;
  readonly svg: string;
  readonly complaints: readonly string[];
}

export interface Page {
  readonly title: string;
  /** Lines of the summary. */
  readonly summary: readonly (readonly [string, string])[];
  readonly complaints: readonly string[];
  readonly chapters: readonly PageChapter[];
}

const STYLE = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem; color: #1a202c; background: #fff }
svg { display: block; background: #fafafa; border: 1px solid #e2e8f0; margin: .5rem 0 1.5rem }
text { font-size: 10px; fill: #2d3748 } .tick { fill: #718096 } .what { fill: #742a2a; font-size: 9px }
.line { fill: #e2e8f0 } .calm { fill: #e6fffa } .fault { fill: #feb2b2 } .way { fill: #ed8936 }
.wait { fill: #a0aec0 } .in-vain { fill: #ecc94b } .lost { stroke: #000; stroke-dasharray: 2 2 } .overlap { fill: #e53e3e; opacity: .8 }
td { padding: 0 1rem 0 0 } .bad { color: #c53030 } .good { color: #276749 } .scroll { overflow-x: auto }
i { display: inline-block; width: 1.6em; height: .8em; margin: 0 .4em 0 1em }`;

const LEGEND = [
  ['#feb2b2', 'a fault of a node or of a client'],
  ['#ed8936', 'a fault of the way from a client to a node, one line for each node'],
  ['#a0aec0', 'waits for the hot resource'],
  ['#ecc94b', 'waits in vain'],
  ['#e6fffa', 'the calm in which all have to recover'],
  ['#e53e3e', 'two holders at once'],
] as const;

/** One file that needs nothing else. */
export function renderPage({ title, summary, complaints, chapters }: Page): string {
  const rows = summary.map(([name, value]) => `<tr><td>${escaped(name)}</td><td>${escaped(value)}</td></tr>`);
  const legend = LEGEND.map(([colour, text]) => `<i style="background: ${colour}"></i>${escaped(text)}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
${list(complaints, 'Nothing that must not be was found.')}
<table>${rows.join('')}</table>
<p>Time runs to the right. The row of a resource shows who held it, in the colour of the client; a dashed edge is a lock
that was lost. Rest the pointer on anything to learn more.<br>${legend.join('')}</p>
${chapters.map(renderChapter).join('\n')}
</body></html>
`;
}

function renderChapter({ title, svg, complaints }: PageChapter): string {
  return `<h2>${escaped(title)}</h2>${complaints.length > 0 ? list(complaints, '') : ''}<div class="scroll">${svg}</div>`;
}

function list(complaints: readonly string[], otherwise: string): string {
  if (complaints.length === 0) return `<p class="good">${escaped(otherwise)}</p>`;
  return `<ul class="bad">${complaints.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
}
