import { MAX_TTL } from '../scenario.js';
import type { Dice } from '../world/dice.js';
import type { Victims } from './victims.js';

/** Ms after which a move is tried again that some client could not have noticed. */
const TRY_AGAIN_AFTER = 5;

/**
 * Lets the first address lead to the spare server and back, for all clients, again and again until all is healed, as where an operator or a
 * DNS name fails over. Neither server is restarted by that, so that one that comes back votes at once as far as it can tell itself, although
 * locks were given without it.
 *
 * Nobody but its clients can tell it that, so that there has to be one that knows: one that has met the server that was there in between. A
 * move has to wait, therefore, until all clients are connected to the server to which the address leads, and no client is started in such a
 * scenario before the last move is over for the longest lease. Whether a client stands still or is cut off when the address moves makes no
 * difference: it remembers which server it has met there, whenever it comes back.
 */
export function planMovesToSpare(victims: Victims, dice: Dice): void {
  const { world, end } = victims;
  // Some visits are over before a quarantine could be, others last longer than that or than a lock that was taken before.
  const stay = dice.between(20, dice.pick([MAX_TTL / 4, MAX_TTL, 2 * MAX_TTL]));
  world.in(stay, () => moveWhenKnown());

  function moveWhenKnown(): void {
    if (world.now >= end) return;
    if (!isKnownToAll(victims)) return void world.in(TRY_AGAIN_AFTER, moveWhenKnown);
    move(victims);
    planMovesToSpare(victims, dice);
  }
}

/** Whether each client has met the server to which the address leads now. */
function isKnownToAll({ pool, clients }: Victims): boolean {
  const { name } = pool.addresses[0]!;
  return clients.every(({ connections }) => connections.every((one) => one.name !== name || one.isReady));
}

/** All connections end, which lead to the other server when they are there again. */
function move({ world, pool, clients }: Victims): void {
  const address = pool.addresses[0]!;
  address.server = address.server === address.first ? pool.spare! : address.first;
  world.note(() => `### for all clients the address of ${address.name} leads to ${address.server.name}`);
  for (const { connections } of clients) for (const one of connections) one.leadTo();
}
