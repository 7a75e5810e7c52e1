/** What bounds the figures, for readers that want more of one. */
export const BOUNDS = `
- **Alone, one caller.** A vote with a fencing token is a script, and a node takes longer for a script than for a \`SET\` (\`bare-calls\`,
  \`node-time\`). Over a network (\`near\`) the way is longer than all of that.
- **Alone, many callers.** The nodes take three fifths of the processor time. The same list of operations goes to all nodes, so a call names each
  key, value and date in full; 0.16 commands carry a pair in place of 10. The client spends its part on promises, and on the collection of short-lived
  objects.
- **Contended, one process.** A lock passes to the next caller of the process without the nodes. The section itself is what takes the time.
- **Contended, several processes.** A hand-over is five releases, five hand-off messages and their answers: one round trip, on two cores that
  the nodes share with the callers. Callers that came within 5 ms, and the callers of a process that are less than 50 ms younger than the oldest one
  elsewhere, follow each other within the process. Letting younger callers go first would be faster, and is not fair.
- **Held locks.** The lock that the holder sees, its lease, its value, the name, and the answers of its nodes.
- **A handler of Nest.** \`@WithLock\` on a handler is an interceptor. One that does nothing takes 40 to 130 µs of a request in Nest, by the
  Observables and async scopes around it. More room for young objects halves the price on Node.js 24 (\`roomy\`): an option of Node.js, which
  [the page about Nest](../nest.md#a-busy-server) recommends.
- **Kept replies.** The first request for a key asks the nodes twice, one after the other, as \`@WithLock\` does. The first call asks whether there is a
  reply, and for the lock, whose votes open the record. The second one keeps the reply, and gives the lock back. A replay asks once, and takes no lock.
  What clients see of it [beside other packages](replies.md) is another page.
- **Traffic.** The hand-written client keeps no order, and has no token, no trust in nodes and no validity.
`.trim();
