/** Text that is safe inside of HTML and SVG. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A class of the page's style sheet. */
  readonly kind: string;
  readonly fill?: string;
  /** Shown where the pointer rests. */
  readonly title?: string;
}

/** Nothing that happened is too short to be seen. */
const THINNEST = 0.7;

export function bar({ x, y, width, height, kind, fill, title }: Bar): string {
  const place = `x="${x.toFixed(1)}" y="${y}" width="${Math.max(THINNEST, width).toFixed(1)}" height="${height}"`;
  const colour = fill === undefined ? '' : ` fill="${fill}"`;
  const inner = title === undefined ? '' : `<title>${escaped(title)}</title>`;
  return `<rect class="${kind}" ${place}${colour}>${inner}</rect>`;
}

export function label(text: string, { x, y, kind }: { x: number; y: number; kind: string }): string {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y}">${escaped(text)}</text>`;
}

const COLOURS = ['#2b6cb0', '#c05621', '#2f855a', '#6b46c1', '#b83280', '#4a5568', '#00838f', '#8d6e00'];

/** A client keeps its colour over all its lives. */
export function colourOf(client: string): string {
  const number = Number(/\d+/.exec(client)?.[0] ?? 0);
  return COLOURS[number % COLOURS.length]!;
}
