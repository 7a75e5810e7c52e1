const FIRST_CAPACITY = 1 << 12;
/** States per slot of the table at most. */
const LOAD = 0.6;

/** All states that were seen, as words, in the order in which they were found: each with the one from which it was. */
export class StateSet {
  #size = 0;
  #words: Uint32Array;
  #origins = new Int32Array(FIRST_CAPACITY);
  /** Where a state stands among the words, plus one; 0 where the slot is free. */
  #table = new Uint32Array(2 * FIRST_CAPACITY);

  /** `width` is the number of words of one state. */
  constructor(private readonly width: number) {
    this.#words = new Uint32Array(width * FIRST_CAPACITY);
  }

  get size(): number {
    return this.#size;
  }

  /** The words of a state; to be read only. */
  at(index: number): Uint32Array {
    return this.#words.subarray(index * this.width, (index + 1) * this.width);
  }

  /** The state from which this one was found first, or -1. */
  originOf(index: number): number {
    return this.#origins[index]!;
  }

  /** Takes in a state that was not seen before. */
  add(words: Uint32Array, origin: number): void {
    const slot = this.#slotOf(words, 0);
    if (this.#table[slot] !== 0) return;
    if (this.#size === this.#origins.length) this.#growStates();
    this.#words.set(words, this.#size * this.width);
    this.#origins[this.#size] = origin;
    this.#size += 1;
    this.#table[slot] = this.#size;
    if (this.#size > this.#table.length * LOAD) this.#growTable();
  }

  /** The slot of the state whose words begin at `start`, or a free one for it. */
  #slotOf(words: Uint32Array, start: number): number {
    const mask = this.#table.length - 1;
    let slot = this.#hash(words, start) & mask;
    while (this.#table[slot] !== 0 && !this.#isAt(this.#table[slot]! - 1, words, start)) slot = (slot + 1) & mask;
    return slot;
  }

  #isAt(index: number, words: Uint32Array, start: number): boolean {
    for (let word = 0; word < this.width; word += 1) {
      if (this.#words[index * this.width + word] !== words[start + word]) return false;
    }
    return true;
  }

  /** Murmur3. */
  #hash(words: Uint32Array, start: number): number {
    let hash = 0;
    for (let word = 0; word < this.width; word += 1) {
      let mixed = Math.imul(words[start + word]!, 0xcc9e2d51);
      mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
      hash ^= mixed;
      hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #growStates(): void {
    const [words, origins] = [this.#words, this.#origins];
    this.#words = new Uint32Array(2 * words.length);
    this.#words.set(words);
    this.#origins = new Int32Array(2 * origins.length);
    this.#origins.set(origins);
  }

  #growTable(): void {
    this.#table = new Uint32Array(2 * this.#table.length);
    for (let index = 0; index < this.#size; index += 1)
      this.#table[this.#slotOf(this.#words, index * this.width)] = index + 1;
  }
}
