/** A protection that nodes and connections go without, to see whether the simulation notices. */
export type Weakness =
  | 'no quarantine'
  | 'release without compare'
  | 'replaying connections'
  /** A connection that breaks before it hears that a claim stands in line, later takes the grant for an unwanted one. */
  | 'forgotten places';
