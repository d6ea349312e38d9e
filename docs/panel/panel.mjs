// A panel: two machines of a system side by side, run in the page as they are turned.
// Runs of a curve: a few at first; as many as of the machines themselves if they take no longer.
const POINTS = 9, FEW = 4, FINER = 2, WAIT_MS = 150, MOST_LETTERS = 40, MOST_MS = 15000;

class Panel {
  constructor(root, { system, module, first, names, verdicts, shown, note, film_s }) {
    Object.assign(this, { root, first, names, shown });
    this.finding = new Finding(verdicts, () => this.#back());
    this.system = new System(system);
    const source = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const count = Math.max(1, Math.min(navigator.hardwareConcurrency ?? 2, 8));
    this.pool = new Pool(this.system, module, source, count);
    this.state = readBack(location.hash, first) ?? structuredClone(first);
    this.linked = location.hash.startsWith("#turn:");
    const strange = this.#dropUnknown();
    this.#build(note);
    const machines = () => this.machines && ["a", "b"].map((one) => ({ p: this.machines[one].p, seed: Number(this.state.seed) }));
    this.watch = new Watch(root, this.system, this.pool, machines, () => this.#named(), film_s);
    this.#controls();
    this.#turned();
    this.about.textContent = strange.length ? `The address speaks of ${strange.join(", ")}, which this machine does not have.` : "";
  }

  // Drop what an address names and the system doesn't have; return it.
  #dropUnknown() {
    const { specs } = this.system, strange = [];
    for (const texts of [this.state.a, this.state.b]) {
      for (const name of Object.keys(texts).filter((one) => !specs.has(one))) strange.push(name), delete texts[name];
    }
    if (!specs.has(this.state.along.name)) strange.push(this.state.along.name), this.state.along = this.first.along;
    if (!this.system.measures.some(([name]) => name === this.state.measure)) this.state.measure = this.first.measure;
    return strange.filter(Boolean);
  }

  // Texts by name without those that set what a name sets, as a lever and its parameter do.
  #without(texts, name) {
    const sets = (one) => this.system.specs.get(one).sets ?? [one], own = sets(name);
    return Object.fromEntries(Object.entries(texts).filter(([one]) => one !== name && !sets(one).some((field) => own.includes(field))));
  }

  #build(note) {
    const button = (text, click) => element("button", { type: "button", onclick: click }, text);
    this.table = element("table", { class: "panel-machines" });
    this.search = element("input", { type: "search", list: `${this.system.key}-names`, "aria-label": "Find a parameter to turn" });
    this.search.placeholder = "find a parameter…";
    this.search.addEventListener("change", () => this.#find(this.search.value.trim()));
    const options = [...this.system.specs.values()].map((spec) => element("option", { value: spec.name }, [spec.unit, spec.source].filter(Boolean).join("; ")));
    this.about = element("p", { class: "panel-about" });
    this.axis = element("div", { class: "panel-axis" });
    this.answer = element("p", { class: "panel-answer", role: "status" });
    this.flip = element("p", { class: "panel-flip", role: "status" });
    this.refusal = element("p", { class: "panel-refusal", role: "alert" });
    this.drawn = element("figure", { class: "panel-picture" });
    this.reader = element("input", { type: "range", class: "panel-reader", "aria-label": "place on the axis" });
    this.reader.addEventListener("input", () => this.#drag());
    this.rows = element("table", { class: "panel-measures" });
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "runs done" });
    this.stop = button("stop", () => { this.pool.cancel(); this.stopped = true; this.#draw(); });
    this.more = button("run more, until they differ", () => { this.until = true; this.looks = 1; this.#soon(); });
    const back = button("start over", () => this.#back());
    this.line = element("pre", {});
    this.cell = element("pre", {});
    this.copied = element("span", { role: "status" });
    const copy = (text) => navigator.clipboard?.writeText(text()).then(() => { this.copied.textContent = "copied"; },
      () => { this.copied.textContent = "the browser does not let a page copy; select the text below"; });
    const take = element("p", { class: "panel-take" },
      button("copy a link", () => copy(() => location.href)), button("copy the shell's line", () => copy(() => this.line.textContent)),
      button("copy the Python cell", () => copy(() => this.cell.textContent)),
      button("numbers as CSV", () => save(`${this.system.key}.csv`, "text/csv", asCsv(this.#csv()))),
      button("picture as SVG", () => save(`${this.system.key}.svg`, "image/svg+xml", this.drawn.querySelector("svg").outerHTML)), this.copied);
    const told = element("details", {}, element("summary", {}, "The same machines in a shell and in Python"),
      element("p", {}, "In a shell, both and their paired difference:"), this.line,
      element("p", {}, "In a notebook, the same:"), this.cell);
    this.root.replaceChildren(
      element("div", { class: "scroll" }, this.table), element("div", { class: "panel-find" }, this.search, back),
      element("datalist", { id: `${this.system.key}-names` }, ...options), this.about, this.refusal, this.answer,
      this.drawn, this.reader, this.flip, element("p", { class: "panel-progress" }, this.progress, this.stop, this.more), this.axis,
      element("div", { class: "scroll" }, this.rows), take, told, element("p", { class: "panel-note" }, `${LEGEND} ${note}`));
    this.root.classList.add("live");
  }

  // Write the table of what is turned, and the choice of axis and measure, anew.
  #controls() {
    const { a, b, along, measure } = this.state, { name: focused } = document.activeElement?.dataset ?? {};
    const names = [...new Set([...Object.keys(a), ...Object.keys(b), ...(this.added ?? []), along.name])];
    const head = element("tr", {}, element("td"), ...this.#named().map((word) => element("th", { scope: "col" }, word)));
    const rows = names.map((name) => element("tr", {}, this.#head(name), ...["a", "b"].map((machine) => element("td", {}, this.#input(machine, name)))));
    this.table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
    const choice = (label, words, now, set) => {
      const select = element("select", { "data-name": label }, ...words.map(([value, word]) => element("option", { value, selected: value === now }, word)));
      select.addEventListener("change", () => set(select.value));
      return element("label", {}, `${label} `, select);
    };
    const numeric = [...this.system.specs.values()].filter((spec) => !spec.many && spec.kind !== "word" && spec.kind !== "truth" || spec.choices);
    const end = (which) => {
      const input = element("input", { value: along[which], inputmode: "decimal", size: 6, "aria-label": `axis ${which}`, "data-name": `axis ${which}` });
      input.addEventListener("change", () => this.#change({ along: { ...along, [which]: input.value } }));
      return input;
    };
    const measures = this.system.measures.map(([name, , text]) => [name, `${name}: ${text}`]);
    this.axis.replaceChildren(
      choice("measure", measures, measure, (value) => this.#change({ measure: value })),
      choice("along", numeric.map(({ name }) => [name, name]), along.name, (name) => this.#change({ along: this.#axisOf(name) })),
      ...(this.system.specs.get(along.name).choices ? [] : [element("span", {}, "from ", end("low"), " to ", end("high"))]),
      choice("varied in", [["b", "B only"], ["both", "A and B"]], along.in, (value) => this.#change({ along: { ...along, in: value } })),
      element("label", {}, "runs of each ", this.#runs()));
    if (focused) this.root.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  #runs() {
    const input = element("input", { value: this.state.replications, inputmode: "numeric", size: 4, "data-name": "runs" });
    input.addEventListener("change", () => this.#change({ replications: input.value.trim() }));
    return input;
  }

  // What the machines are called: what they stood for, as long as the same things are turned in them.
  #named() {
    return ["a", "b"].map((machine, k) => {
      const [now, first] = [this.state, this.first].map((state) => Object.keys(state[machine]).sort().join());
      const letter = machine.toUpperCase(), told = differing("", this.state[machine]).slice(2, -1);
      return now === first ? `${letter}: ${this.names[k]}` : told && told.length < MOST_LETTERS ? `${letter}: ${told}` : letter;
    });
  }

  #head(name) {
    const spec = this.system.specs.get(name), about = () => {
      const range = `${spec.name} must be ${spec.wanted}. In the paper's machine: ${spec.text}.`;
      this.about.textContent = `${range} ${spec.source ? `Source: ${spec.source} (${spec.status}).` : ""}`;
    };
    const button = element("button", { type: "button", class: "panel-name", title: "what it is", onclick: about }, name);
    return element("th", { scope: "row" }, button, element("small", {}, ` ${spec.unit ?? ""}`));
  }

  #input(machine, name) {
    const spec = this.system.specs.get(name), now = this.state[machine][name] ?? spec.text;
    const label = `${name}, machine ${machine.toUpperCase()}`;
    const words = spec.kind === "truth" ? ["True", "False"] : spec.choices?.map(String);
    if (words && !words.includes(now)) words.push(now); // an address may hold anything
    const input = words
      ? element("select", { "aria-label": label }, ...words.map((word) => element("option", { selected: word === now }, word)))
      : element("input", { "aria-label": label, value: now, size: Math.min(Math.max(now.length, 6), 24) });
    input.dataset.name = `${machine}.${name}`;
    input.addEventListener("change", () => this.#set(machine, name, input.value));
    return input;
  }

  #set(machine, name, text) {
    const texts = { ...this.#without(this.state[machine], name), [name]: text };
    if (text.trim() === this.system.specs.get(name).text) delete texts[name];
    if (!(name in this.state[machine])) (this.added ??= new Set()).add(name);
    this.#change({ [machine]: texts });
  }

  // Take the parameter of a name, or the only one that a word is like; else tell which are.
  #find(word) {
    const all = [...this.system.specs.values()], low = word.toLowerCase();
    if (!word) return;
    const near = all.filter(({ name }) => name.includes(low)), told = near.length ? near : all.filter(({ source }) => source?.toLowerCase().includes(low));
    if (this.system.specs.has(word)) this.#add(word);
    else if (near.length === 1) this.#add(near[0].name);
    else this.about.textContent = told.length ? `"${word}" is like ${told.map(({ name }) => name).join(", ")}.` : `No parameter is like "${word}".`;
  }

  #add(name) {
    (this.added ??= new Set()).add(name);
    this.search.value = "";
    this.#controls();
    this.table.querySelector(`[data-name="b.${name}"]`).focus();
    this.#head(name).querySelector("button").click();
  }

  #axisOf(name) {
    const spec = this.system.specs.get(name), own = Number(this.state.b[name] ?? spec.own);
    const within = (value) => Math.min(Math.max(value, spec.low ?? -Infinity), spec.high ?? Infinity);
    const whole = spec.kind === "whole" ? Math.round : (value) => Number(value.toPrecision(3));
    const [low, high] = own > 0 ? [own / 2, own * 2] : [0, 1];
    return { name, low: String(whole(within(low))), high: String(whole(within(high))), in: this.state.along.in };
  }

  #drag() {
    const { along } = this.state, spec = this.system.specs.get(along.name);
    const text = spec.choices ? String(spec.choices[this.reader.value]) : this.reader.value;
    const turned = (texts) => ({ ...this.#without(texts, along.name), [along.name]: text });
    this.#change({ b: turned(this.state.b), ...(along.in === "both" ? { a: turned(this.state.a) } : {}) });
  }

  #change(part) {
    this.looks = 0;
    this.about.textContent = "";
    this.state = { ...this.state, ...part };
    const { a, b, along } = this.state; // where both vary, both stand at one place
    if (along.in === "both" && a[along.name] !== b[along.name]) this.state.along = { ...along, in: "b" };
    this.#controls();
    this.#turned();
  }

  #asIs() {
    return written(this.state) === written(this.first);
  }

  // The state has changed: tell it in words, and run what it asks for.
  #turned() {
    this.stopped = false;
    this.watch?.turned();
    const { key } = this.system, { state } = this;
    this.line.textContent = shellLine(key, state, this.system.specs);
    this.cell.textContent = pythonCell(key, state, this.system.specs);
    this.copied.textContent = "";
    clearTimeout(this.waiting);
    this.answer.dataset.done = "";
    this.waiting = setTimeout(() => { this.waiting = null; this.#run(); }, this.#asIs() ? 0 : WAIT_MS);
  }

  #run() {
    try {
      this.machines = { a: this.#machine(this.state.a), b: this.#machine(this.state.b) };
      this.places = this.#places();
      this.count = this.#count();
      this.reader.disabled = this.axisDrawn !== this.#axisKey();
      this.root.classList.toggle("drawn", !this.reader.disabled);
      this.curve = Math.min(FEW, this.count);
      this.refusal.textContent = "";
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.#refused(refusal.message);
      return;
    }
    this.root.classList.remove("stale");
    history.replaceState(null, "", this.#asIs() && !this.linked ? location.pathname + location.search : written(this.state));
    this.#want();
  }

  // Nothing on the panel is of what is asked for: say why, and show no number as if it were.
  #refused(message) {
    this.refusal.textContent = message;
    this.machines = null;
    const named = message.match(/\w+/g).filter((word) => this.system.specs.has(word));
    for (const word of named) (this.added ??= new Set()).add(word); // or it can't be put right
    if (named.length) this.#controls();
    this.pool.want([], () => {});
    this.finding.tell({ a: { n: 0 } }, this.state, false);
    this.progress.hidden = this.stop.hidden = this.more.hidden = this.reader.disabled = true;
    this.answer.textContent = this.flip.textContent = this.line.textContent = this.cell.textContent = "";
    this.root.classList.remove("drawn");
    this.root.classList.add("stale");
  }

  #want() {
    const { machines } = this, count = this.count;
    const runs = [];
    const ask = (machine, replications) => { for (let k = 0; k < replications; k += 1) runs.push(machine.run(Number(this.state.seed) + k)); };
    const both = (replications) => { ask(machines.a, replications), ask(machines.b, replications); };
    both(1), both(Math.min(FEW, count));
    for (const place of this.places) for (const machine of ["a", "b"]) ask(place[machine], this.curve);
    both(count);
    const unique = [...new Map(runs.map((run) => [run.key, run])).values()];
    this.pool.want(unique, () => this.#soon());
    this.#soon();
  }

  // A machine of texts by name: refused at once if it is impossible, run when it is asked for.
  #machine(texts) {
    const p = this.system.parameters(texts), key = JSON.stringify(Object.entries(texts).sort());
    this.system.given(p, this.#seed()); // refuses devices that there are not
    return { texts, p, run: (seed) => ({ key: `${key} ${seed}`, given: () => this.system.given(p, seed) }) };
  }

  #places() {
    const { along, a, b } = this.state, spec = this.system.specs.get(along.name);
    const ends = [along.low, along.high].map((text) => (spec.choices || !NUMBER.test(text) ? NaN : Number(text)));
    if (!spec.choices && !(ends[0] < ends[1])) throw new Refusal("The axis must go from a number to a larger one.");
    if (ends[0] < spec.low || ends[1] > spec.high) throw new Refusal(`On the axis ${along.name} must be ${spec.wanted}.`);
    const at = spec.choices ? spec.choices.map((_, k) => k) : places(...ends, POINTS, spec.kind === "whole");
    if (at.length < 2) throw new Refusal(`The axis must have two whole numbers or more, as ${along.name} is one.`);
    const finer = this.finer?.of === this.#axisKey() ? this.finer.at : [];
    const all = [...new Set([...at, ...finer])].sort((one, other) => one - other);
    return all.map((place) => this.#place(place, spec, along, a, b));
  }

  #place(at, spec, along, a, b) {
    const text = spec.choices ? String(spec.choices[at]) : String(at), turned = { [along.name]: text };
    const made = (texts) => this.#machine({ ...this.#without(texts, along.name), ...turned });
    return { at, text, a: along.in === "both" ? made(a) : this.#machine(a), b: made(b) };
  }

  #axisKey() {
    const { a, b, along, measure, seed } = this.state, others = { ...b, [along.name]: "" };
    return JSON.stringify([along.in === "both" ? { ...a, [along.name]: "" } : a, others, along, measure, seed]);
  }

  #soon() {
    this.pending ??= requestAnimationFrame(() => { this.pending = null; this.#draw(); });
  }

  // What a measure came to in both machines, over the seeds that both have run.
  #compared(a, b, measure, most) {
    const seeds = Array.from({ length: most }, (_, k) => Number(this.state.seed) + k);
    const found = seeds.map((seed) => [a, b].map((machine) => this.pool.done.get(machine.run(seed).key)));
    const failed = found.flat().find((one) => one && one.stop);
    const both = found.filter(([one, other]) => one && other && !one.stop && !other.stop);
    const ran = both.map((pair) => pair.map((one) => one.measures[measure]));
    const known = ran.filter((pair) => pair.every(Number.isFinite)), values = [0, 1].map((k) => known.map((pair) => pair[k]));
    const difference = interval(values[1].map((value, k) => value - values[0][k]));
    return { a: interval(values[0]), b: interval(values[1]), difference, failed, ran: ran.length };
  }

  #draw() {
    if (!this.machines) return;
    const { state, machines, count, places: at } = this;
    const now = this.#compared(machines.a, machines.b, state.measure, count);
    const points = at.map((place) => ({ ...place, ...this.#compared(place.a, place.b, state.measure, this.curve) }));
    const known = points.filter((point) => point.a.n || point.b.n);
    const left = this.pool.left;
    this.progress.value = this.pool.total ? 1 - left / this.pool.total : 1;
    this.progress.hidden = this.stop.hidden = !left;
    this.more.hidden = !now.a.n || sign(now.difference) !== 0 || count >= T95.length || left > 0;
    if (now.failed) return void this.#refused(STOPS[now.failed.stop] ?? "The machine stopped before its end; it can't go on.");
    const { measure } = state, turned = measure === this.first.measure && !this.#asIs();
    this.answer.textContent = answered(now, measure, this.#named(), this.looks, this.stopped && now.a.n < count);
    this.finding.tell(now, state, turned);
    const told = { ...now, count, measure, names: this.#named(), address: written(state) };
    this.root.dispatchEvent(new CustomEvent("answered", { detail: told }));
    if (known.length > 1) this.#picture(known, now);
    if (this.linked && !this.scrolled) this.scrolled = true, this.root.scrollIntoView();
    if (!left && !this.stopped) this.#further(points, now);
    this.#table();
    globalThis.reachable?.();
    this.answer.dataset.done = this.pool.left || this.waiting ? "" : "yes";
  }

  #back() {
    this.looks = 0;
    this.state = structuredClone(this.first);
    this.added = null;
    this.#controls();
    this.#turned();
  }

  #picture(points, now) {
    const { along, measure } = this.state, spec = this.system.specs.get(along.name);
    const text = this.system.measures.find(([name]) => name === measure)[2], turned = turn(points);
    const reader = spec.choices ? spec.choices.map(String).indexOf(this.state.b[along.name] ?? spec.text) : Number(this.state.b[along.name] ?? spec.own);
    const low = this.places[0].at, high = this.places.at(-1).at, stands = Object.keys(this.#without(this.state.b, along.name)).length
      === Object.keys(this.state.b).filter((name) => name !== along.name).length; // no other name sets the same
    const axis = `${along.name}${spec.unit ? ` (${spec.unit})` : ""}, in ${along.in === "both" ? "A and B" : "B only"}`;
    const told = `${text}: machine A ${estimate(now.a)}, machine B ${estimate(now.b)}, difference ${estimate(now.difference)}, along ${along.name}.`;
    const label = `${text} (${this.curve} runs a point)`;
    const svg = picture({ points, low, high, label, axis, words: spec.choices && points.map((point) => point.text),
      whole: spec.kind === "whole", wide: Math.min(Math.max(this.drawn.clientWidth, 300), 640),
      reader: stands && reader >= low && reader <= high ? reader : undefined, turned, told, names: { a: this.#named()[0], b: this.#named()[1] } });
    svg.prepend(element("desc", {}, `${differing("A", this.state.a)}; ${differing("B", this.state.b)}. ${LEGEND}`));
    this.drawn.replaceChildren(svg);
    this.root.classList.add("drawn");
    this.axisDrawn = this.#axisKey();
    this.reader.disabled = false;
    Object.assign(this.reader, { min: low, max: high, step: spec.kind === "whole" || spec.choices ? 1 : Number(((high - low) / 200).toPrecision(1)) });
    if (document.activeElement !== this.reader) this.reader.value = reader;
    this.reader.setAttribute("aria-label", `${along.name}, ${along.in === "both" ? "both machines" : "machine B"}`);
    this.flip.textContent = points.length < this.places.length ? "" : flipped(points, along.name, spec.choices);
  }

  #seed() {
    const { seed } = this.state, number = Number(seed);
    if (/^\d+$/.test(seed) && Number.isSafeInteger(number + T95.length)) return number;
    throw new Refusal(`seed must be a whole number of 0 or more; '${seed}' is not.`);
  }

  #count() {
    const { replications } = this.state, count = Number(replications);
    if (Number.isInteger(count) && count >= 2 && count <= T95.length) return count;
    throw new Refusal(`The runs of each must be a whole number from 2 to ${T95.length}; '${replications}' is not.`);
  }

  // All is done: run the curves as often as the machines, if that is quick, then where the sign turns.
  #further(points, now) {
    if (this.until && sign(now.difference) === 0 && this.count < T95.length) {
      this.state.replications = String(Math.min(2 * this.count, T95.length));
      this.looks += 1;
      this.#controls();
      return this.#turned();
    }
    this.until = false;
    const more = (this.count - this.curve) * points.length * (this.state.along.in === "both" ? 2 : 1);
    if (more && (more * this.pool.meanMs) / this.pool.jobs.size < MOST_MS) {
      this.curve = this.count;
      this.#want();
    } else this.#refine(points);
    return undefined;
  }

  // Run more places where the sign turns, so that it is found more closely.
  #refine(points) {
    const spec = this.system.specs.get(this.state.along.name), turned = turn(points), of = this.#axisKey();
    const before = this.finer?.of === of ? this.finer : { of, at: [], times: 0 };
    if (!turned || spec.choices || before.times >= FINER) return;
    const middle = (turned.low + turned.high) / 2, next = spec.kind === "whole" ? Math.floor(middle) : Number(middle.toPrecision(4));
    if (next <= turned.low) return;
    this.finer = { of, at: [...before.at, next], times: before.times + 1 };
    this.places = this.#places();
    this.#want();
  }

  #table() {
    const { machines, state, count } = this;
    const head = [element("td"), ...["A", "B", "B − A", "with loads of their own"].map((word) => element("th", { scope: "col" }, word))];
    const rows = [...new Set([state.measure, this.first.measure, ...this.shown])].map((name) => {
      const found = this.#compared(machines.a, machines.b, name, count), text = this.system.measures.find(([one]) => one === name)[2];
      const cells = [found.a, found.b, found.difference, apart(found.a, found.b)].map((one) => element("td", {}, estimate(one)));
      return element("tr", {}, element("th", { scope: "row" }, name, element("small", {}, ` ${text}`)), ...cells);
    });
    this.rows.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  }

  #csv() {
    const { state, machines } = this, rows = new Map(), { specs } = this.system;
    const names = [...new Set([...Object.keys(state.a), ...Object.keys(state.b), state.along.name])];
    const add = (machine, { texts, run }) => {
      const set = Object.fromEntries(names.map((name) => [name, texts[name] ?? specs.get(name).text]));
      for (let k = 0; k < this.count; k += 1) {
        const seed = Number(state.seed) + k, { key } = run(seed), found = this.pool.done.get(key);
        if (found && !found.stop) rows.set(machine + key, { machine, ...set, seed, ...found.measures });
      }
    };
    add("A", machines.a), add("B", machines.b);
    for (const place of this.places) add("A", place.a), add("B", place.b);
    return [...rows.values()];
  }
}

// Without what a machine needs the picture in the page stands as it was drawn.
function start(told) {
  if (!globalThis.WebAssembly || !globalThis.DecompressionStream) return;
  for (const root of document.querySelectorAll(".panel")) root.panel = new Panel(root, told);
}
