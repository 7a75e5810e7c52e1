import { Claim } from '../../lib/core/claim.js';

/** A claim as it is now: what becomes of it later does not change what was sent. Grants are told to `granted`. */
export function sentClaim(
  { resources, value, ticket, followed, token }: Claim,
  granted: (fence: number) => void,
): Claim {
  const sent = new Claim(
    resources,
    value,
    ticket && {
      arrived: ticket.arrived,
      grace: ticket.grace,
      isTaken: true,
      granted: (_node, { fence }) => granted(fence),
    },
  );
  sent.followed = followed;
  sent.token = token;
  return sent;
}
