import { Claim, type Grant, type Ticket } from '../../lib/core/claim.js';

/** Those whom a node tells of grants. */
export interface Audience {
  /** False where the node knows that nobody would hear of it. */
  readonly isHeard: boolean;
  granted(claim: Claim, fence: number): void;
}

/** A place in a line as the node knows it. */
class SentTicket implements Ticket {
  readonly isTaken = true;
  readonly arrived: number;
  readonly grace: number;
  claim!: Claim;

  constructor(
    { arrived, grace }: Ticket,
    readonly audience: Audience,
  ) {
    this.arrived = arrived;
    this.grace = grace;
  }

  granted(_node: string, { fence }: Grant): void {
    this.audience.granted(this.claim, fence);
  }
}

/** A claim as it is now: what becomes of it later does not change what was sent. Grants are told to `audience`. */
export function sentClaim({ resources, value, ticket, followed, over, token }: Claim, audience: Audience): Claim {
  const place = ticket && new SentTicket(ticket, audience);
  const sent = new Claim(resources, value, place);
  if (place) place.claim = sent;
  sent.followed = followed;
  sent.over = over;
  sent.token = token;
  return sent;
}

/** Whether anybody would hear that the node grants a sent claim. */
export function isHeard({ ticket }: Claim): boolean {
  return (ticket as SentTicket).audience.isHeard;
}
