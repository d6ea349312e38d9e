// A system's parameters, as describe.py tells them: read, refused, and handed to its machine.
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i, INFINITE = /^\s*\+?inf(inity)?\s*$/i;
const WORD = 2n ** 32n, POOL = 4;

// Return the class of a record: its fields, and what their code derives and refuses.
export function recordOf({ fields, members, properties }) {
  class Record {
    constructor(values = {}) {
      for (const { name, own } of fields) this[name] = values[name] ?? own;
    }
  }
  for (const [name, member] of Object.entries(members)) {
    const method = function (...values) { return member(this, ...values); };
    const whole = properties.includes(name) ? { get: method } : { value: method };
    Object.defineProperty(Record.prototype, name, whole);
  }
  return Record;
}

function readOne(spec, text) {
  if (spec.kind === "word") return text.trim();
  if (spec.kind === "truth") return { true: true, false: false }[text.trim().toLowerCase()];
  if (spec.infinite && INFINITE.test(text)) return Infinity;
  const number = NUMBER.test(text) ? Number(text) : NaN;
  const fits = Number.isFinite(number) && (spec.kind === "number" || Number.isInteger(number))
    && !(number < spec.low) && !(number > spec.high);
  return fits ? number : undefined;
}

// Return the value that a text gives a field or a lever, or refuse it.
export function read(spec, text) {
  const texts = spec.many ? text.split(",").filter((part) => part.trim()) : [text];
  const values = texts.map((part) => readOne(spec, part));
  const known = (value) => value !== undefined && (!spec.choices || spec.choices.includes(value));
  if (!values.every(known)) {
    throw new Refusal(`${spec.name} must be ${spec.wanted}; '${text}' is not.`);
  }
  return spec.many ? values : values[0];
}

export class System {
  constructor(description) {
    Object.assign(this, description);
    this.specs = new Map([...this.fields, ...this.levers].map((spec) => [spec.name, spec]));
    this.Parameters = recordOf(this);
    if (this.device) this.Device = recordOf(this.device);
  }

  // Return the parameters that texts by name make of the defaults; levers set theirs.
  parameters(texts) {
    const own = new this.Parameters(), values = {}, setters = {};
    for (const [name, text] of Object.entries(texts)) {
      const spec = this.specs.get(name);
      if (!spec) throw new Refusal(`There is no parameter '${name}'.`);
      const value = read(spec, text), made = spec.changes ? spec.changes(own, value) : { [name]: value };
      for (const one of Object.keys(made)) this.#checkApart(one, setters[one] ?? name, name), setters[one] = name;
      Object.assign(values, made);
    }
    checkRanges(this.fields, values);
    const p = new this.Parameters(values);
    if (Object.keys(texts).length) p.check();
    return p;
  }

  #checkApart(field, first, second) {
    if (first === second) return;
    if (field === first || field === second) {
      const other = field === first ? second : first;
      throw new Refusal(`${other} also sets ${field}; give one or the other.`);
    }
    const both = [first, second].sort().join(" and ");
    throw new Refusal(`${both} both set ${field}; give one of the two.`);
  }

  // Return what the machine's function is called with.
  given(p, seed, film) {
    const tables = this.tables.map((table) => this[`_${table.kind}`](p, table)).flat();
    const out = { bytes: new Uint8Array(8 * this.measures.length) };
    const keys = this.streams.map((words) => ({
      bytes: bytesOf([...seedWords(seed), ...words].map(BigInt), true), shape: [POOL + words.length], item: 8,
    }));
    return [filled(this.settings, p), tables, keys, film ?? this.film, this.trace, out];
  }

  // Return room for a film between two times, as films.py does.
  filmed(beginMs, endMs) {
    const room = (count) => ({ bytes: new Uint8Array(8 * count), shape: [count], item: 8 }), { moments, changes, slots } = this.room;
    return [{ ...room(2), bytes: bytesOf([beginMs, endMs], false) }, ...[1, this.seen.length, slots, moments, moments, 2 * changes].map(room)];
  }

  // Return what film.mjs plays of a film that a machine has taken.
  told(p, beginMs, film) {
    const begins = [...film.sizes].map((_, k) => film.sizes.slice(0, k).reduce((all, size) => all + size, 0));
    const slots = Object.fromEntries(this.seen.map((name, k) => [name, [begins[k], film.sizes[k]]]));
    const settings = Object.fromEntries(this.settings.fields.map(({ name, from }) => [name, p[from]]));
    if (this.device) settings.revolution_ms = this.deviceOf(p.paging_devices[0]).revolution_ms;
    return { key: this.key, slots, p, settings, enums: this.enums, begin_s: beginMs / 1000, end_s: film.endMs / 1000 };
  }

  _arrays(p) {
    return [this.arrays.map(([name, whole]) => ({ bytes: bytesOf(p[name], whole), shape: [p[name].length], item: 8 }))];
  }

  _constant(p, table) {
    return [table];
  }

  _version(p) {
    return [{ ...filled(this.settings, p), shape: [1], item: this.settings.size }];
  }

  // The devices of sim61, for paging first, then the users' discs: models and published seeks.
  _devices(p, { layout }) {
    const all = [...p.paging_devices, ...repeated([p.user_disc], p.user_discs)].map((name) => this.deviceOf(name));
    const bytes = joined(all.map((one) => filled(layout, one).bytes)), shape = [all.length];
    const seeks = { bytes: bytesOf(all.flatMap((one) => one.seek_ms), false), shape: [all.length, 3], item: 8 };
    return [{ bytes, shape, item: layout.size }, seeks];
  }

  deviceOf(name) {
    const { named, drum } = this.device, found = pattern(drum.pattern).fullmatch(name);
    if (named[name]) return new this.Device(named[name]);
    if (!found) throw new Refusal(`There is no device '${name}'; the devices are ${Object.keys(named).join(", ")}.`);
    const own = new this.Device(named[drum.of]), changes = own.moving(Number(found[1]));
    checkRanges(this.device.fields, changes);
    const device = new this.Device({ ...own, ...changes });
    device.check();
    return device;
  }
}

// Refuse values by name that levers or rates have made too small or too large.
function checkRanges(specs, values) {
  for (const { name, low, high, wanted } of specs) {
    for (const one of [values[name] ?? []].flat()) {
      if (one !== Infinity && (one < low || one > high)) {
        throw new Refusal(`${name} must be ${wanted}; ${general(one)} is not.`);
      }
    }
  }
}

function seedWords(seed) {
  const words = [BigInt(seed) % WORD, BigInt(seed) / WORD];
  return [...words, ...repeated([0n], POOL - words.length)];
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) whole.set(part, at), at += part.length;
  return whole;
}

function bytesOf(numbers, whole) {
  const typed = whole ? BigInt64Array.from(numbers, BigInt) : Float64Array.from(numbers);
  return new Uint8Array(typed.buffer);
}

// Return the record of a layout that a record's values make.
function filled({ size, fields }, p) {
  const bytes = new Uint8Array(size), view = new DataView(bytes.buffer);
  for (const { at, whole, from, choices, factor } of fields) {
    const value = choices ? choices.indexOf(p[from]) : p[from];
    if (whole) view.setBigInt64(at, BigInt(Number(value)), true);
    else view.setFloat64(at, factor ? factor * value : value, true);
  }
  return { bytes };
}
