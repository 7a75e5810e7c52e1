/** A protection that nodes and connections go without, to see whether the simulation notices. */
export type Weakness = 'no quarantine' | 'release without compare' | 'replaying connections';
