/** Resolves with `event`, or without it after `limit` ms. */
export async function within(limit: number, event: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limit)));
  await Promise.race([event, late]);
  clearTimeout(timer);
}
