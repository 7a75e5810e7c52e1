import { pageOf } from '../../../.ci/playground.mjs';
import type { ChaosChapter } from '../../../sample-app/playground/chaos-run.js';
import type { Trace } from '../../../sample-app/playground/events.js';
import { pack } from './pack.js';
import type { Summary } from './summary.js';

export interface PageChapter extends Omit<ChaosChapter, 'trace'> {
  readonly trace: Trace;
}

export interface Page {
  readonly title: string;
  readonly summary: Summary;
  readonly complaints: readonly string[];
  readonly chapters: readonly PageChapter[];
}

/** One file that needs nothing else. */
export async function renderPage({ title, summary, complaints, chapters }: Page): Promise<string> {
  const rows = summary.map(
    ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
  );
  const run = JSON.stringify(chapters.map((chapter) => ({ ...chapter, trace: pack(chapter.trace) })));
  const template = await pageOf('chaos.html', 'chaos.ts');
  return template
    .replaceAll('<!--title-->', () => escaped(title))
    .replace('<!--verdict-->', () => verdictOf(complaints))
    .replace('<!--figures-->', () => `<h2>Figures</h2>\n<table class="figures">\n${rows.join('\n')}\n</table>`)
    .replace('<!--run-->', () => run.replaceAll('<', String.raw`\u003c`));
}

function verdictOf(complaints: readonly string[]): string {
  if (complaints.length === 0) return '<p class="verdict good">Nothing that must not be was found.</p>';
  return `<ul class="verdict bad">${complaints.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
