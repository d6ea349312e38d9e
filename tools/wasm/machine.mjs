// A system's module and the memory that its runs share: each begins where the first one did.
const PAGE = 65536, ALIGNED = 64;
// Numba's head of an array's memory, with pointers of 32 bits: where the data is, and its size.
const HEAD = 40, DATA = 16, SIZE = 24;

export class Machine {
  static async load(bytes) {
    const machine = new Machine();
    const allocate = (size) => machine.allocate(Number(size));
    const env = { NRT_MemInfo_alloc_aligned: allocate, NRT_MemInfo_new_varsize_dtor: allocate };
    const { instance } = await WebAssembly.instantiate(bytes, { env });
    const { memory, run, __heap_base: base } = instance.exports;
    return Object.assign(machine, { memory, function: run, base: base.value });
  }

  // Take memory, all zeros, and return where it begins.
  take(size) {
    const at = Math.ceil(this.top / ALIGNED) * ALIGNED;
    this.top = at + size;
    const missing = this.top - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    new Uint8Array(this.memory.buffer, at, size).fill(0);
    return at;
  }

  // Take memory as Numba asks for it, behind a head.
  allocate(size) {
    const head = this.take(HEAD), data = this.take(size), view = new DataView(this.memory.buffer);
    view.setBigInt64(head, 1n, true);
    view.setUint32(head + DATA, data, true);
    view.setBigInt64(head + SIZE, BigInt(size), true);
    return head;
  }

  write(bytes) {
    const at = this.take(bytes.length);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return at;
  }

  // Return an argument as the module takes it: tuples and arrays are many.
  flat(argument) {
    if (Array.isArray(argument)) return argument.flatMap((one) => this.flat(one));
    const at = this.write(argument.bytes ?? decoded(argument.base64));
    if (!argument.shape) return [at];
    const { shape, item } = argument, strides = shape.map((_, k) => item * product(shape.slice(k + 1)));
    const whole = [...shape, ...strides].map(BigInt);
    return [0, 0, BigInt(product(shape)), BigInt(item), at, ...whole];
  }

  // Run the system once; return why it stopped, what it measured, by name, its trace's bytes, its film.
  run({ given, measures }) {
    this.top = this.base;
    const stopped = this.take(8), raised = this.take(64);
    const flat = given.map((one) => this.flat(one)), failed = this.function(stopped, raised, ...flat.flat());
    if (failed) throw new Error("The machine failed.");
    const view = new DataView(this.memory.buffer), out = flat.at(-1)[0], [, , count, size, first] = flat.at(-2);
    const number = (whole, at) => whole ? Number(view.getBigInt64(at, true)) : view.getFloat64(at, true);
    const values = measures.map(([name, whole], k) => [name, number(whole, out + 8 * k)]);
    const trace = new Uint8Array(this.memory.buffer, first, Number(count * size)).slice();
    return { stop: number(true, stopped), measures: Object.fromEntries(values), trace, film: this.#film(flat.at(-3)) };
  }

  // Return what a film has taken, if it was to take any: see films.py.
  #film(flat) {
    const [window, counts, sizes, first, times, ends, changes] = [0, 1, 2, 3, 4, 5, 6].map((k) => flat[7 * k + 4]);
    const whole = (at, count) => Int32Array.from(new BigInt64Array(this.memory.buffer, at, count), Number);
    const real = (at, count) => new Float64Array(this.memory.buffer, at, count).slice();
    if (!flat[7 * 4 + 2]) return undefined;
    const [moments] = whole(counts, 1), ended = whole(ends, moments), fields = whole(sizes, Number(flat[7 * 2 + 2]));
    const slots = fields.reduce((all, size) => all + size, 0);
    return { endMs: real(window, 2)[1], sizes: fields, first: whole(first, slots), times: real(times, moments), ends: ended, changes: whole(changes, 2 * (ended.at(-1) ?? 0)) };
  }
}

// Run a machine for each of some calls; return as JSON what each came to, and the milliseconds.
export function results(machine, calls) {
  const runs = calls.map((call) => {
    const start = performance.now(), { trace, film, ...found } = machine.run(call);
    const ms = performance.now() - start;
    const taken = film && Object.fromEntries(Object.entries(film).map(([name, one]) => [name, one.length === undefined ? one : [...one]]));
    return { ...found, film: taken, trace: Array.from(trace, (byte) => byte.toString(16).padStart(2, "0")).join(""), ms };
  });
  // Numbers that JSON has no name for are written as words.
  const named = (_, one) => (typeof one !== "number" || Number.isFinite(one) ? one : String(one));
  return JSON.stringify(runs, named);
}

function product(numbers) {
  return numbers.reduce((left, right) => left * right, 1);
}

function decoded(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
