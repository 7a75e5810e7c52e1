/** What the words of the report mean, for readers that doubt a figure. */
export const DEFINITIONS = `
- **Pair**: one acquire and its release. Figures of processor time, commands and bytes are per pair, all nodes together.
- **Warm-up**: of each process before it is measured, so that its code is compiled: pairs of 64 callers for 1 s; where all want one
  key for 1.5 s, and then sections of that kind for 4 s; a handler of Nest by requests
  for 6 s, and before one connection alone by 20 for as long (with --quick, pairs for 0.3 s, contention 3 s, requests 2 s).
- **Round**: each candidate runs once, in a process of its own, each round beginning with another one. Ratios are taken
  within a round; given are the median and, in brackets, the least and the greatest of all rounds.
- **raw**: \`SET NX PX\` and a compare-and-delete by \`EVALSHA\` through the ioredis of the library, one command to each node
  per operation, resolved at quorum, without retries, timeouts and checks. **limit**: the same commands, made before the
  measurement, on bare sockets with one write per node and turn of the event loop.
- **Client CPU**: user and system time of the candidate's process; **server CPU**: that of all nodes, by \`INFO cpu\`.
- **Commands, bytes**: counted by a proxy in a separate run without a clock; what a script does on its node is not counted.
- **Section**: repeated \`setTimeout(1)\` until at least 1 ms is over, because Node's timers may be early by up to 1 ms.
- **Round trip** (of the ideal): the median time of one command of raw to a quorum, one caller, on the idle machine, measured
  at the start of every round. **The section of the ideal** is the mean length of the section in a process that has the
  lock of raw for itself, measured there too. **The ideal** of contended sections is 1 / (section + round trip) a second;
  that of a burst is callers x (section + round trip). **A bare PING**: sections of one process, and after each a PING to all
  nodes on bare sockets, answered by a quorum: no candidate can be faster that goes to the nodes after every section, since a process and
  nodes that have just slept for a ms need longer for a round trip than those that never rest. Ours does not always go there:
  a lock passes to the next caller of the same process where nobody in another one is older.
- **Steady**: each worker asks again as soon as it has given back. Sections are counted that ended in time. *Most/fewest
  turns* compares the workers of all processes; *starved* had no turn at all. Waits that last longer than the longest one
  that ended, when the time is over, are among the waits.
- **Overlap**: a section that began before the one before it ended, on the machine's monotonic clock, over all processes.
  A section is from the moment when acquire answered until release is called.
- **Hand-off**: from the call of release in one process until acquire answers in another. Its round trip is the median of a
  PING through the same delaying proxy.
- **Patience**: where a candidate must wait, it may do so for 20 s. Set for it: \`waitTimeout\` (ours), \`retryCount\` (redlock 4,
  5 beta, sesamecare), \`retryAttempts\` (redlock-universal), \`acquireTimeout\` (redis-semaphore). All else, such as the
  delay between two attempts, is the default of each; the ttl is 10 s for all.
- **One node slow, frozen, killed**: 100 ms more from a command to its reply (by a proxy); SIGSTOP; SIGKILL. Alone, one
  process is measured while the node is healthy and then twice while it is not; the worse of the two counts. *Memory* is
  the growth of the heap and of buffers, after garbage collection, over the second of the two, per pair. Flat is less than
  100 bytes per pair.
- **Held locks**: heap and buffers after garbage collection, with the names of the locks. **Growth** after a million pairs:
  after the first fifth; up to 512 KB is the noise of the heap.
- **First, replay** (of \`once\`): a key that nobody has used, and one with a reply that is kept; each connection goes round 50 of its own. **Calls to each
  node**: of scripts, by \`INFO commandstats\` of the nodes; those of one caller come one after the other, each a round trip. **Storm**: another replica
  has kept the replies; *runs* are handlers that ran again, *locks taken* are \`acquired\` events. Five such storms come before, as its warm-up.
- **Hangs, n of m done**: what was not over after 20 s (with --quick, 5 or 6 s) was ended.
`.trim();
