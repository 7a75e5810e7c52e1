/** What the words of the tables mean, for readers that doubt a figure. @type {string[][]} */
export const DEFINITIONS = [
  ['pair', 'One acquire and its release. Processor time, commands and bytes are per pair, all nodes together.'],
  [
    'warm-up',
    'Each process runs before it is measured: pairs of 64 callers for 1 s; contended callers for 1.5 s and then sections for 4 s; a handler of Nest by requests for 6 s.',
  ],
  [
    'round',
    'Each candidate runs once, in a process of its own; each round begins with another candidate. Ratios are taken within a round. Given are the median and, in brackets, least and most.',
  ],
  [
    'raw',
    '`SET NX PX` and a compare-and-delete by `EVALSHA` through ioredis, one command to each node per operation, resolved at quorum, without retries, timeouts and checks.',
  ],
  [
    'limit',
    'The same commands, made before the measurement, on bare sockets, with one write per node and turn of the event loop.',
  ],
  ['client CPU, server CPU', 'User and system time of the process of the candidate; of all nodes, by `INFO cpu`.'],
  ['commands, bytes', 'Counted by a proxy in a separate run; commands within a script are left out.'],
  ['section', 'Repeated `setTimeout(1)` until at least 1 ms has passed.'],
  [
    'ideal',
    '1 / (section + round trip) a second; of a burst, callers x (section + round trip). Both parts are measured with raw, on the idle machine, at the start of every round.',
  ],
  ['bare PING', 'Sections of one process, and after each a PING to all nodes on bare sockets, answered by a quorum.'],
  [
    'steady',
    'Each worker asks again as soon as it has released. Sections that ended in time count. *Most/fewest turns* compares the workers of all processes; *starved* had no turn.',
  ],
  [
    'overlap',
    'A section that began before the section before it ended, on the monotonic clock of the machine, over all processes.',
  ],
  [
    'holders',
    'Sections at once, between the call that got the lock and the call of release, on the monotonic clock of the machine. *Idle* is the share of the slots without a section.',
  ],
  [
    'hand-off',
    'From the call of release in one process until acquire answers in another one. Its round trip is the median of a PING through the same proxy.',
  ],
  [
    'patience',
    'A candidate may wait for 20 s, by `waitTimeout`, `retryCount`, `retryAttempts` or `acquireTimeout`. The ttl is 10 s. All else is the default of each.',
  ],
  [
    'slow, frozen, killed',
    '100 ms more from a command to its reply, by a proxy; SIGSTOP; SIGKILL. The worse of two measurements counts.',
  ],
  ['memory', 'Growth of the heap and of buffers after garbage collection, per pair.'],
  [
    'held',
    'Heap and buffers after garbage collection, with the names of the locks. *Growth* after a million pairs: after the first fifth.',
  ],
  [
    'first, replay',
    'A key that nobody has used, and a key with a kept reply. *Calls to each node*: of scripts, by `INFO commandstats`.',
  ],
  [
    'storm',
    'Another replica has kept the replies. *Runs* are handlers that ran again, *locks taken* are `acquired` events.',
  ],
  ['redis-semaphore', 'Its `RedlockMutex`; with a limit its `RedlockSemaphore`.'],
  ['n of m done', 'What was under way after 20 s was ended.'],
];
