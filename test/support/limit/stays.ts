/** One hold of a slot: when a caller asked for it, and for how long the caller provably had it, in ms of the clock of the machine. */
export interface Stay {
  /** Undefined for a caller with all slots. */
  readonly slot?: number | undefined;
  readonly token: number;
  readonly asked: number;
  readonly from: number;
  readonly to: number;
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** How many held at once at most. */
export function mostAtOnce(stays: readonly Stay[]): number {
  let [count, most] = [0, 0];
  for (const { by } of steps(stays)) {
    count += by;
    most = Math.max(most, count);
  }
  return most;
}

/** How many held at once on average. */
export function meanAtOnce(stays: readonly Stay[], window: Window): number {
  const within = ({ from, to }: Stay): number => Math.max(0, Math.min(to, window.to) - Math.max(from, window.from));
  return stays.reduce((sum, stay) => sum + within(stay), 0) / (window.to - window.from);
}

/** Of two holders of one slot at once, what they held; and of a later holder whose token is not greater. */
export function faultsOfSlots(stays: readonly Stay[]): string[] {
  const slots = [...new Set(stays.map(({ slot }) => slot))];
  return slots.flatMap((slot) => {
    const sorted = stays.filter((stay) => stay.slot === slot).sort((a, b) => a.from - b.from);
    return sorted.slice(1).flatMap((next, index) => {
      const { to, token } = sorted[index]!;
      return [
        ...(next.from < to ? [`slot ${slot}: a holder from ${next.from} on, and another one to ${to}`] : []),
        ...(next.token <= token ? [`slot ${slot}: token ${next.token} after ${token}`] : []),
      ];
    });
  });
}

/** For each stay, how many had asked later and were served earlier. */
export function overtakings(stays: readonly Stay[]): number[] {
  return stays.map(({ asked, from }) => stays.filter((other) => other.asked > asked && other.from < from).length);
}

/** An end that is not later than a beginning counts first. */
function steps(stays: readonly Stay[]): { readonly at: number; readonly by: number }[] {
  const all = stays.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  return all.sort((a, b) => a.at - b.at || a.by - b.by);
}
