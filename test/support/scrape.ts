/** One time series of a scrape. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads what a Prometheus server would scrape. */
export function parseScrape(text: string): Series[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', braces = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    const pairs = [...braces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text_]) => [key!, text_!]);
    return {
      name,
      labels: Object.fromEntries(pairs) as Series['labels'],
      value: Number(value.replace('+Inf', 'Infinity')),
    };
  });
}

/** Returns the sum of the series with this name and these labels; undefined if there is none. */
export function valueOf(series: readonly Series[], name: string, labels: Series['labels'] = {}): number | undefined {
  const found = series.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
