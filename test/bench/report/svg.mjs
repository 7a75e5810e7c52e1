/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ anchor?: 'start' | 'middle' | 'end', kind?: string }} Look kind: a class of the style */

// A ground of its own, so that all text can be read whatever the page around it looks like.
const STYLE = `
    .ground { fill: #ffffff; } .text { fill: #1f2328; } .faint { fill: #57606a; } .ours { fill: #c30f39; font-weight: 600; }
    .bar { fill: #7d8590; } .bar-ours { fill: #d1123f; } .open { fill: #ffffff; stroke: #57606a; stroke-dasharray: 4 3; }
    .grid { stroke: #d0d7de; } .range { stroke: #1f2328; stroke-width: 1.5; }
    .line { fill: none; stroke: #7d8590; stroke-width: 1.5; } .line-ours { fill: none; stroke: #d1123f; stroke-width: 3; }
    .leader { stroke: #afb8c1; } .head { font-size: 15px; font-weight: 600; } .foot { font-size: 11px; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; } .text { fill: #e6edf3; } .faint { fill: #9198a1; } .ours { fill: #ff7b8f; }
      .bar { fill: #7d8590; } .bar-ours { fill: #ff5c7c; } .open { fill: #0d1117; stroke: #9198a1; }
      .grid { stroke: #30363d; } .range { stroke: #e6edf3; }
      .line { stroke: #7d8590; } .line-ours { stroke: #ff5c7c; } .leader { stroke: #484f58; }
    }`;

export const WIDTH = 760;
const FOOT_LINE = 15;

/**
 * A picture with its title above, and below it what was measured where.
 * @param {{ title: string, subtitle: string, description: string, foot: readonly string[], height: number }} frame
 * @param {readonly string[]} parts
 */
export function picture({ title, subtitle, description, foot, height }, parts) {
  const whole = height + foot.length * FOOT_LINE + 10;
  const lines = [
    text({ x: 16, y: 28 }, title, { kind: 'text head' }),
    text({ x: 16, y: 48 }, subtitle, { kind: 'faint' }),
    ...parts,
    ...foot.map((words, index) => text({ x: 16, y: height + 10 + index * FOOT_LINE }, words, { kind: 'faint foot' })),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" width="${WIDTH}" height="${whole}" viewBox="0 0 ${WIDTH} ${whole}" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12">
  <title id="title">${escaped(title)}</title>
  <desc id="description">${escaped(description)}</desc>
  <style>${STYLE}
  </style>
  <rect class="ground" width="${WIDTH}" height="${whole}" rx="8"/>
${lines.map((one) => `  ${one}`).join('\n')}
</svg>
`;
}

/** @param {Point} at @param {string} content @param {Look} [look] */
export function text({ x, y }, content, { anchor = 'start', kind = 'text' } = {}) {
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

/** @param {Point} from @param {Point} to @param {string} kind */
export function line(from, to, kind) {
  return `<line class="${kind}" x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}"/>`;
}

/** @param {Point & { width: number, height: number }} box @param {string} kind */
export function box({ x, y, width, height }, kind) {
  return `<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="2"/>`;
}

/** @param {readonly Point[]} points @param {string} kind */
export function path(points, kind) {
  return `<polyline class="${kind}" points="${points.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ')}"/>`;
}

/** @param {Point} at @param {string} kind */
export function dot({ x, y }, kind) {
  return `<circle class="${kind}" cx="${round(x)}" cy="${round(y)}" r="3.5"/>`;
}

/** @param {number} value */
function round(value) {
  return Number(value.toFixed(1));
}

/** @param {string} content */
function escaped(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
