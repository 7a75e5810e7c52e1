/** What bounds the figures, for readers that want more of one: as measured by taking parts away. */
export const BOUNDS = `
- **Alone, one caller.** A vote that comes with a token is a script, which takes a node longer than a \`SET\`: the calls of the library,
  made before the measurement and sent on bare sockets without any client, already take 1.3 to 1.5 times what those of \`raw\` take that
  way (\`bare-calls\`). Of the 0.25 ms of a pair on the loopback, 0.13 ms are ten socket writes, 0.05 ms the scripts on nodes whose caches
  are cold, and 0.05 ms the client. Over a network (\`near\`) the way is longer than all of that.
- **Alone, many callers.** The nodes are what is busy: of the time of both cores for a pair, two thirds are theirs. What the client takes
  is work spread over all of it; no function takes more than 3 %, and 5 to 7 µs of it go to ioredis and the sockets for the same bytes
  without any lock. Without the checks that keep a lock safe where programs block and clocks are set, the client takes 7 to 8 % less, nearly
  all of it for letting each caller go on in a turn of its own, behind a look at its lease. p99 is made by V8, which compiles and collects
  on the second core while a node or the caller waits behind it.
- **Contended, one process.** A lock passes to the next caller of the process without the nodes, so sections follow each other faster than
  after a \`PING\`. The waiting in a section takes more than half of the processor time (\`section\`); the rest is promises and Node's timers.
- **Contended, several processes.** A hand-over is five releases, five places in line, five messages and their answers, 1.2 to 1.6 ms
  beyond the section on two cores that the nodes share with the callers. Four sections of one process follow each other before the next
  process has the lock, since those who came within 5 ms count as having come together. Letting younger callers go first would
  reach 0.85 of the ideal, and is not fair.
- **One node down.** p50 does not move, since a quorum is enough. p99 is made of some 50 pairs in 2 s, in which V8 compiles code for answers
  that it had not met, or collects what a slow node has yet to answer (4.4 KB of each pair).
- **Held locks.** 1,009 bytes: the lease, its claim with its value, the name, its place among those to be extended, and an entry for each node that voted.
- **A vote: time of the node.** A quarter of a vote alone is reading the words of the call, a third the seven commands in it; in a batch of 64
  three fifths are the \`SET\` and the \`HSET\` of the counter. Machines of this kind differ by a half in it from hour to hour.
- **A handler of Nest.** \`withLock\` is bound by two batches that it shares with the other requests, and by the async context that it opens
  for its work. \`@WithLock\` on a handler is an interceptor, and one that does nothing takes 40 to 130 µs of a request in Nest
  (\`interceptor\`), by the Observables and async scopes around it. What arrives in one turn of the event loop shares one batch, over HTTP, TCP
  and from a queue alike: with 200 requests under way a node gets one command for dozens of them.
  Two runs of one build differ by up to a factor of two here, because most of the price is the copying of young objects, which depends on the caches.
  Five ways around that were measured. An interceptor that gives Nest a promise in place of an Observable gains nothing. A guard in its place
  takes 105 µs (44 on Node.js 24) where the interceptor takes about 200, but then neither pipes nor interceptors run under the lock, and there are no
  streams and no messages. More room for young objects halves the price on Node.js 24 (\`roomy\`): an option of Node.js, which
  [the page about Nest](../nest.md#a-busy-server) recommends. No async context takes a third off \`withLock\` on Node.js 20, and there would be no
  re-entry and no warning for a call that waits for itself. To pass the value of a message on after the release, together with its end, takes 33 of 230 µs off
  over TCP, but a stream would give its last value outside its lock.
- **Traffic.** Each hand-over to another process is what it is above; the hand-written client does none of the rest: no fairness, no token,
  no trust, no validity. Callers of one process for one resource share one place in line, and pass the lock on within it.
`.trim();
