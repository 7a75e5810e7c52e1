import getPort from 'get-port';

// Below the range from which systems take ports for outgoing connections: a client that dials an ended node there could
// otherwise be given the node's own port, and either connect to itself or keep the node from starting again.
const FIRST = 12_000;
const LAST = 31_999;

/** A port on which nothing listens: a random one, so that two processes that look at the same moment find different ones. */
export function freePort(host = '127.0.0.1') {
  const port = Array.from({ length: 50 }, () => FIRST + Math.floor(Math.random() * (LAST - FIRST + 1)));
  return getPort({ host, port });
}
