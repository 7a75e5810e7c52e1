import { isDeepStrictEqual } from 'node:util';
import type { Series } from '../scrape.js';

/** A comparison of what one scrape has, as far as the alerts about nodes need PromQL. */
export interface Condition {
  readonly threshold: number;
  /** Returns the labels of each group of series for which the comparison is true. */
  holds(series: readonly Series[], threshold?: number): Series['labels'][];
}

type Reading = (series: readonly Series[]) => Series[];

const AGGREGATIONS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
};
const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
  '==': (value, threshold) => value === threshold,
  '!=': (value, threshold) => value !== threshold,
};
const MATCHERS: Readonly<Record<string, (text: string, wanted: string) => boolean>> = {
  '=': (text, wanted) => text === wanted,
  '!=': (text, wanted) => text !== wanted,
  '=~': (text, wanted) => new RegExp(`^(?:${wanted})$`).test(text),
  '!~': (text, wanted) => !new RegExp(`^(?:${wanted})$`).test(text),
};

const COMPARED = /^(\w+) by \(([^()]*)\) \((.*)\) (<=?|>=?|[=!]=) (-?\d+(?:\.\d+)?)$/;
const SELECTOR = /^(\w*)(?:\{(.*)\})?$/;
const MATCHER = /^\s*(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/;

/** Reads `min by (label) (metric{label="value"}) < 1`, `and` between two, and the like; whatever else PromQL has is an error that names it. */
export function conditionOf(expression: string): Condition {
  const [first = '', ...others] = expression.split(' and ').map((part) => part.trim());
  const [condition, required] = [comparisonOf(first), others.map(comparisonOf)];
  const isRequired = (labels: Series['labels'], series: readonly Series[]): boolean =>
    required.every((one) => one.holds(series).some((found) => isDeepStrictEqual(found, labels)));
  return {
    threshold: condition.threshold,
    holds: (series, threshold) => condition.holds(series, threshold).filter((labels) => isRequired(labels, series)),
  };
}

function comparisonOf(expression: string): Condition {
  const [, aggregation = '', grouping = '', operand = '', comparison = '', number = ''] =
    COMPARED.exec(expression) ?? [];
  const [aggregate, compare] = [AGGREGATIONS[aggregation], COMPARISONS[comparison]];
  if (aggregate === undefined || compare === undefined) throw notUnderstood(expression);
  const read = readingOf(operand.trim());
  const by = grouping.split(',').map((label) => label.trim());
  return {
    threshold: Number(number),
    holds: (series, threshold = Number(number)) =>
      groupsOf(read(series), by)
        .filter(([, values]) => compare(aggregate(values), threshold))
        .map(([labels]) => labels),
  };
}

function readingOf(operand: string): Reading {
  const inner = /^abs\((.*)\)$/.exec(operand)?.[1];
  if (inner === undefined) return selectionOf(operand);
  const read = readingOf(inner);
  return (series) => read(series).map((one) => ({ ...one, value: Math.abs(one.value) }));
}

function selectionOf(selector: string): Reading {
  const [, name = '', braces = ''] = SELECTOR.exec(selector) ?? [];
  const matchers = matchersOf(braces);
  if (name !== '') matchers.push(['__name__', '=', name]);
  if (matchers.length === 0) throw notUnderstood(selector);
  // A label that a series does not have is empty to Prometheus.
  return (series) =>
    series.filter((one) =>
      matchers.every(([label, kind, wanted]) =>
        MATCHERS[kind]!((label === '__name__' ? one.name : one.labels[label]) ?? '', wanted),
      ),
    );
}

function matchersOf(braces: string): [label: string, kind: string, wanted: string][] {
  if (braces.trim() === '') return [];
  const [whole, label, kind, wanted] = MATCHER.exec(braces) ?? [];
  if (whole === undefined) throw notUnderstood(braces);
  return [[label!, kind!, wanted!], ...matchersOf(braces.slice(whole.length))];
}

function groupsOf(series: readonly Series[], by: readonly string[]): [Series['labels'], number[]][] {
  const groups = new Map<string, [Series['labels'], number[]]>();
  for (const { labels, value } of series) {
    const own = Object.fromEntries(by.flatMap((label) => (label in labels ? [[label, labels[label]!]] : [])));
    const group = groups.get(JSON.stringify(own)) ?? [own, []];
    group[1].push(value);
    groups.set(JSON.stringify(own), group);
  }
  return [...groups.values()];
}

function notUnderstood(part: string): Error {
  return new Error(`this test does not understand so much of PromQL: ${part}`);
}
