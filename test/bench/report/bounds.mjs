/** What bounds the figures, for whoever wants more of one: as measured by taking parts away. */
export const BOUNDS = `
- **Alone, one caller.** A vote that comes with a token is a script, which takes a node longer than a \`SET\`: the calls of the library,
  made before the measurement and sent on bare sockets without any client, already take 1.3 to 1.5 times what those of \`raw\` take that
  way (\`bare-calls\`). Of the 0.25 ms of a pair on the loopback, 0.13 ms are ten socket writes, 0.05 ms the scripts on nodes whose caches
  are cold, and 0.05 ms the client. Over a network (\`near\`) the way is longer than all of that.
- **Alone, many callers.** The nodes are what is busy: of the time of both cores for a pair, two thirds are theirs. What the client takes
  is work spread over all of it; no function takes more than 3 %, and 5 to 7 µs of it go to ioredis and the sockets for the same bytes
  without any lock. p99 is made by V8, which compiles and collects on the second core while a node or the caller waits behind it.
- **Contended, one process.** A lock passes to the next caller of the process without the nodes, so sections follow each other faster than
  after a \`PING\`. The waiting in a section takes more than half of the processor time (\`section\`); the rest is promises and Node's timers.
- **Contended, several processes.** A hand-over is five releases, five places in line, five messages and their answers, 1.2 to 1.6 ms
  beyond the section on two cores that the nodes share with the callers. Four sections of one process follow each other before the next
  process has the lock, since those who came within 5 ms count as having come together. Letting younger callers go first would
  reach 0.85 of the ideal, and is not fair.
- **One node down.** p50 does not move, since a quorum is enough. p99 is made of some 50 pairs in 2 s, in which V8 compiles code for answers
  that it had not met, or collects what a slow node has yet to answer (4.4 KB of each pair).
- **Held locks.** 976 bytes: the lease, its claim, the name, its place among those to be extended, and an entry for each node that voted.
- **A vote: time of the node.** A quarter of a vote alone is reading the words of the call, a third the seven commands in it; in a batch of 64
  three fifths are the \`SET\` and the \`HSET\` of the counter. Machines of this kind differ by a half in it from hour to hour.
- **A handler of Nest.** \`withLock\` is bound by two batches that it shares with the other requests, and by the async context that it opens
  for its work. \`@WithLock\` on a handler is an interceptor, and one that does nothing takes 40 to 130 µs of a request in Nest
  (\`interceptor\` of the scenario \`decorator\`), by the Observables and async scopes around it: called in one process, 200 at a time, over
  a pool in memory, \`withLock\` takes 130 to 155 µs, beside such an interceptor 176 to 181, and \`@WithLock\` 176 to 210. Only without an
  interceptor would it take clearly less, and then pipes and the interceptors of the method would no longer run under the lock.
  What arrives in one turn of the event loop shares one batch, over HTTP, TCP and from a queue alike: with 200 requests under way a node gets one command for dozens of them.
- **Traffic.** Each hand-over to another process is what it is above; the hand-written client does none of the rest: no fairness, no token,
  no trust, no validity. Callers of one process for one resource share one place in line, and pass the lock on within it.
`.trim();
