const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns ms as an operator reads them: 850 ms, 4.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return two(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? two(ms, [HOUR, 'h'], [MINUTE, 'min']) : two(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function two(ms: number, [greater, name]: Unit, [smaller, smallName]: Unit): string {
  const rest = Math.floor((ms % greater) / smaller);
  return `${Math.floor(ms / greater)} ${name}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}
