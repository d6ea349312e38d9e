// A film, as perfkit.show.players.film takes it: what is seen of a machine at any of its moments.
const EVERY = 256; // moments between two states that are kept whole

async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export class Film {
  // Return the film of a description whose arrays are gzipped, as base64.
  static async of(told) {
    const [first, times, ends, changes] = await Promise.all(["first", "times_ms", "ends", "changes"].map((name) => unpacked(told[name])));
    return new Film(told, new Int32Array(first), new Float64Array(times), new Int32Array(ends), new Int32Array(changes));
  }

  constructor(told, first, times, ends, changes) {
    Object.assign(this, { ...told, times, ends, changes });
    this.state = first.slice();
    this.kept = [first];
    this.at = 0; // so many moments have passed
    // What is seen now: v("table.field"), of row k of a table.
    this.seen = (name, k = 0) => this.state[this.slots[name][0] + k];
    this.count = (name) => this.slots[name][1];
  }

  // Return how many moments have passed at a time.
  momentAt(ms) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= ms) low = middle + 1; else high = middle;
    }
    return low;
  }

  // Let so many moments have passed; passed(changes) is told of each one's: field, row, before, now.
  go(moment, passed) {
    if (moment < this.at) {
      const kept = Math.min(Math.floor(moment / EVERY), this.kept.length - 1);
      this.state.set(this.kept[kept]);
      this.at = kept * EVERY;
    }
    while (this.at < moment) {
      const changes = [], end = this.ends[this.at];
      for (let k = this.at ? this.ends[this.at - 1] : 0; k < end; k += 1) {
        const slot = this.changes[2 * k], now = this.changes[2 * k + 1];
        if (passed) changes.push([...this.nameOf(slot), this.state[slot], now]);
        this.state[slot] = now;
      }
      this.at += 1;
      if (this.at % EVERY === 0) this.kept[this.at / EVERY] ??= this.state.slice();
      passed?.(changes);
    }
  }

  // Return the table's field of a slot, and the row.
  nameOf(slot) {
    this.names ??= Object.entries(this.slots).flatMap(([name, [, count]]) => Array.from({ length: count }, (_, k) => [name, k]));
    return this.names[slot];
  }
}
