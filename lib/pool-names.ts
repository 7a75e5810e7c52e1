/** What Nest knows of a module, as far as it is needed here. */
interface RegisteredModule {
  readonly name: string;
  readonly isGlobal: boolean;
  readonly providers: ReadonlyMap<unknown, unknown>;
  readonly imports: ReadonlySet<unknown>;
}

/** What all pools of one name have in common. */
interface PoolSigns {
  readonly name: string | undefined;
  /** What each module that registers such a pool provides. */
  readonly token: symbol;
}

/**
 * Two pools of one name are on two sets of nodes, or have two memories of what they hold: both would give one lock to somebody.
 * @throws TypeError where two modules of one application register them
 */
export function refuseTwoPools(modules: readonly RegisteredModule[], { name, token }: PoolSigns): void {
  const pools = modules.filter(({ providers }) => providers.has(token));
  if (pools.length < 2) return;
  const importers = modules.filter(({ imports }) => pools.some((pool) => !pool.isGlobal && imports.has(pool)));
  const where = importers.length > 0 ? ` (in ${importers.map((module) => module.name).join(', ')})` : '';
  throw new TypeError(
    `RedlockModule: ${poolOf(name)} is registered ${pools.length} times${where}: each would be a pool of its own, and two callers ` +
      'could hold one lock. Register it once, in the root module with isGlobal: true, or have the modules import one that ' +
      'registers and exports it; where different pools are meant, give each of them a name',
  );
}

export function poolOf(name: string | undefined): string {
  return name === undefined ? 'the pool without a name' : `pool "${name}"`;
}
