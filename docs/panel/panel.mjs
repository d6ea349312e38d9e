// A panel: two machines of a system side by side, run in the page as they are turned.
// Runs of a curve: a few at first; as many as of the machines themselves if they take no longer.
const POINTS = 9, FEW = 4, FINER = 2, WAIT_MS = 150, MOST_MS = 15000;
const STOPS = { "-1": "No seek curve has these three times; they must rise, or be equal.", "-2": "The machine failed." };

class Panel {
  constructor(root, { system, module, first, names, verdicts, shown, note }) {
    Object.assign(this, { root, first, names, verdicts, shown });
    this.system = new System(system);
    const source = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const count = Math.max(1, Math.min(navigator.hardwareConcurrency ?? 2, 8));
    this.pool = new Pool(this.system, module, source, count);
    this.state = readBack(location.hash, first) ?? structuredClone(first);
    this.linked = location.hash.startsWith("#turn:");
    this.#build(note);
    this.#controls();
    this.#turned();
    if (this.linked) root.scrollIntoView();
  }

  #build(note) {
    const button = (text, click) => element("button", { type: "button", onclick: click }, text);
    this.table = element("table", { class: "panel-machines" });
    this.search = element("input", { type: "search", list: `${this.system.key}-names`, "aria-label": "Find a parameter to turn" });
    this.search.placeholder = "find a parameter…";
    this.search.addEventListener("change", () => this.#add(this.search.value.split(":")[0].trim()));
    const options = [...this.system.specs.values()].map((spec) => element("option", { value: spec.name }, [spec.unit, spec.source].filter(Boolean).join("; ")));
    this.about = element("p", { class: "panel-about" });
    this.axis = element("div", { class: "panel-axis" });
    this.answer = element("p", { class: "panel-answer", role: "status" });
    this.flip = element("p", { class: "panel-flip", role: "status" });
    this.refusal = element("p", { class: "panel-refusal", role: "alert" });
    this.drawn = element("figure", { class: "panel-picture" }, ...this.root.querySelectorAll("img"));
    this.reader = element("input", { type: "range", class: "panel-reader", "aria-label": "place on the axis" });
    this.reader.addEventListener("input", () => this.#drag());
    this.rows = element("table", { class: "panel-measures" });
    this.progress = element("progress", { max: 1, value: 0, "aria-label": "runs done" });
    this.stop = button("stop", () => { this.pool.cancel(); this.stopped = true; this.#draw(); });
    this.more = button("run on until they differ", () => { this.until = true; this.#soon(); });
    const back = button("back to the headline", () => this.#back());
    this.line = element("pre", {});
    this.cell = element("pre", {});
    this.copied = element("span", { role: "status" });
    const copy = (text) => navigator.clipboard?.writeText(text()).then(() => { this.copied.textContent = "copied"; },
      () => { this.copied.textContent = "the browser does not let a page copy; select the text below"; });
    const take = element("p", { class: "panel-take" },
      button("copy a link", () => copy(() => location.href)), button("copy the shell's lines", () => copy(() => this.line.textContent)),
      button("copy the Python cell", () => copy(() => this.cell.textContent)),
      button("numbers as CSV", () => save(`${this.system.key}.csv`, "text/csv", asCsv(this.#csv()))),
      button("picture as SVG", () => save(`${this.system.key}.svg`, "image/svg+xml", this.drawn.querySelector("svg").outerHTML)), this.copied);
    const told = element("details", {}, element("summary", {}, "The same in a shell and in Python"), this.line, this.cell);
    this.root.replaceChildren(
      element("div", { class: "scroll" }, this.table), element("div", { class: "panel-find" }, this.search, back),
      element("datalist", { id: `${this.system.key}-names` }, ...options), this.about, this.refusal, this.answer,
      this.drawn, this.reader, this.flip, element("p", { class: "panel-progress" }, this.progress, this.stop, this.more), this.axis,
      element("div", { class: "scroll" }, this.rows), take, told, element("p", { class: "panel-note" }, note));
    this.root.classList.add("live");
  }

  // Write the table of what is turned, and the choice of axis and measure, anew.
  #controls() {
    const { a, b, along, measure } = this.state;
    const names = [...new Set([...Object.keys(a), ...Object.keys(b), ...(this.added ?? []), along.name])];
    const head = element("tr", {}, element("td"), ...this.#named().map((word) => element("th", { scope: "col" }, word)));
    const rows = names.map((name) => element("tr", {}, this.#head(name), ...["a", "b"].map((machine) => element("td", {}, this.#input(machine, name)))));
    this.table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
    const choice = (label, words, now, set) => {
      const select = element("select", {}, ...words.map(([value, word]) => element("option", { value, selected: value === now }, word)));
      select.addEventListener("change", () => set(select.value));
      return element("label", {}, `${label} `, select);
    };
    const numeric = [...this.system.specs.values()].filter((spec) => !spec.many && spec.kind !== "word" && spec.kind !== "truth" || spec.choices);
    const end = (which) => {
      const input = element("input", { value: along[which], inputmode: "decimal", size: 6, "aria-label": which === "low" ? "axis from" : "axis to" });
      input.addEventListener("change", () => this.#change({ along: { ...along, [which]: input.value } }));
      return input;
    };
    const measures = this.system.measures.map(([name, , text]) => [name, `${name}: ${text}`]);
    this.axis.replaceChildren(
      choice("measure", measures, measure, (value) => this.#change({ measure: value })),
      choice("along", numeric.map(({ name }) => [name, name]), along.name, (name) => this.#change({ along: this.#axisOf(name) })),
      element("span", {}, "from ", end("low"), " to ", end("high")),
      choice("turned in", [["b", "B alone"], ["both", "both"]], along.in, (value) => this.#change({ along: { ...along, in: value } })),
      element("label", {}, "paired runs ", this.#runs()));
  }

  #runs() {
    const input = element("input", { value: this.state.replications, inputmode: "numeric", size: 4 });
    input.addEventListener("change", () => this.#change({ replications: input.value.trim() }));
    return input;
  }

  // What the machines are called: what they stood for, as long as the same things are turned in them.
  #named() {
    return ["a", "b"].map((machine, k) => {
      const [now, first] = [this.state, this.first].map((state) => Object.keys(state[machine]).sort().join());
      return `${machine.toUpperCase()}${now === first ? `: ${this.names[k]}` : ""}`;
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
    const input = words
      ? element("select", { "aria-label": label }, ...words.map((word) => element("option", { selected: word === now }, word)))
      : element("input", { "aria-label": label, value: now, size: Math.min(Math.max(now.length, 6), 24) });
    input.dataset.name = `${machine}.${name}`;
    input.addEventListener("change", () => this.#set(machine, name, input.value));
    return input;
  }

  #set(machine, name, text) {
    const texts = { ...this.state[machine], [name]: text };
    if (text.trim() === this.system.specs.get(name).text) delete texts[name];
    if (!(name in this.state[machine])) (this.added ??= new Set()).add(name);
    this.#change({ [machine]: texts });
  }

  #add(name) {
    if (!this.system.specs.has(name)) return;
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
    for (const machine of along.in === "both" ? ["a", "b"] : ["b"]) this.state[machine] = { ...this.state[machine], [along.name]: text };
    this.#controls();
    this.#turned();
  }

  #change(part) {
    this.state = { ...this.state, ...part };
    this.#controls();
    this.#turned();
  }

  // The state has changed: tell it in words, and run what it asks for.
  #turned() {
    this.stopped = false;
    const { key } = this.system, { state } = this;
    const asIs = written(state) === written(this.first);
    history.replaceState(null, "", asIs && !this.linked ? location.pathname + location.search : written(state));
    this.line.textContent = [state.a, state.b].map((texts) => shellLine(key, texts, state)).join("\n");
    this.cell.textContent = pythonCell(key, state, this.system.specs);
    this.copied.textContent = "";
    clearTimeout(this.waiting);
    this.answer.dataset.done = "";
    this.waiting = setTimeout(() => { this.waiting = null; this.#run(); }, asIs ? 0 : WAIT_MS);
  }

  #run() {
    try {
      this.machines = { a: this.#machine(this.state.a), b: this.#machine(this.state.b) };
      this.places = this.#places();
      this.count = this.#count();
      this.curve = Math.min(FEW, this.count);
      this.refusal.textContent = "";
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.refusal.textContent = refusal.message;
      this.machines = null;
      this.pool.want([], () => {});
      return;
    }
    this.#want();
  }

  #want() {
    const { machines } = this, count = this.count;
    const runs = [];
    const ask = (machine, replications) => { for (let k = 0; k < replications; k += 1) runs.push(machine.run(Number(this.state.seed) + k)); };
    ask(machines.a, 1), ask(machines.b, 1), ask(machines.a, count), ask(machines.b, count);
    for (const place of this.places) for (const machine of ["a", "b"]) ask(place[machine], this.curve);
    const unique = [...new Map(runs.map((run) => [run.key, run])).values()];
    this.pool.want(unique, () => this.#soon());
    this.#soon();
  }

  // A machine of texts by name: refused at once if it is impossible, run when it is asked for.
  #machine(texts) {
    const p = this.system.parameters(texts), key = JSON.stringify(Object.entries(texts).sort());
    return { texts, run: (seed) => ({ key: `${key} ${seed}`, given: () => this.system.given(p, seed) }) };
  }

  #places() {
    const { along, a, b } = this.state, spec = this.system.specs.get(along.name);
    const ends = [along.low, along.high].map(Number);
    if (!spec.choices && !(ends[0] < ends[1])) throw new Refusal("The axis must have two numbers, the smaller first.");
    const at = spec.choices ? spec.choices.map((_, k) => k) : places(...ends, POINTS, spec.kind === "whole");
    const finer = this.finer?.of === this.#axisKey() ? this.finer.at : [];
    const all = [...new Set([...at, ...finer])].sort((one, other) => one - other);
    return all.map((place) => this.#place(place, spec, along, a, b));
  }

  #place(at, spec, along, a, b) {
    const text = spec.choices ? String(spec.choices[at]) : String(at), turned = { [along.name]: text };
    return { at, text, a: this.#machine(along.in === "both" ? { ...a, ...turned } : a), b: this.#machine({ ...b, ...turned }) };
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
    const values = [0, 1].map((k) => both.map((pair) => pair[k].measures[measure]));
    const difference = interval(values[1].map((value, k) => value - values[0][k]));
    return { a: interval(values[0]), b: interval(values[1]), difference, failed };
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
    this.more.hidden = sign(now.difference) !== 0 || count >= T95.length || left > 0;
    this.#tell(now, left);
    if (known.length > 1) this.#picture(known, now);
    if (!left && !this.stopped) this.#further(points, now);
    this.#table();
    globalThis.reachable?.();
    this.answer.dataset.done = this.pool.left || this.waiting ? "" : "yes";
  }

  #tell(now, left) {
    const [a, b] = this.#named().map((name) => name.replace(/: (.*)/, " ($1)")), { measure } = this.state;
    this.refusal.textContent = now.failed ? STOPS[now.failed.stop] ?? "The machine stopped before its end; it can't go on." : "";
    const runs = now.a.n === 1 ? "one run of each" : `${now.a.n} paired runs`, sure = sign(now.difference);
    const verdict = now.a.n < 2 ? "" : sure ? `: ${sure < 0 ? "B" : "A"} has less` : ": they do not tell the two apart";
    this.answer.textContent = now.a.n
      ? `${measure} is ${estimate(now.a)} in ${a} and ${estimate(now.b)} in ${b}. B less A is ${estimate(now.difference)}, over ${runs}${verdict}.`
      : "The machines run…";
    this.#follow(now, written(this.state) !== written(this.first));
  }

  // The finding above is of the headline's machines: once turned, what yours come to stands before it.
  #follow({ a, b, difference }, turned) {
    const own = document.querySelector("article p > strong:first-child")?.parentElement;
    if (!own || !this.verdicts.length) return;
    this.yours ??= element("p", { class: "finding-turned" });
    own.classList.toggle("finding-kept", turned);
    if (!turned || !a.n) return this.yours.remove();
    const which = this.state.measure === this.first.measure ? sign(difference) : 0;
    const verdict = which ? this.verdicts[which < 0 ? 0 : 1] : "The runs do not tell the two apart.";
    const back = element("button", { type: "button", onclick: () => this.#back() }, "back to the headline");
    this.yours.replaceChildren(element("strong", {}, verdict),
      ` As you turned it: ${this.state.measure} is ${estimate(a)} in machine ${this.#named()[0]}; ${estimate(b)} in machine ${this.#named()[1]}. `, back);
    if (!this.yours.isConnected) own.before(this.yours);
  }

  #back() {
    this.state = structuredClone(this.first);
    this.added = null;
    this.#controls();
    this.#turned();
  }

  #picture(points, now) {
    const { along, measure } = this.state, spec = this.system.specs.get(along.name);
    const text = this.system.measures.find(([name]) => name === measure)[2], turned = turn(points);
    const reader = spec.choices ? spec.choices.map(String).indexOf(this.state.b[along.name] ?? spec.text) : Number(this.state.b[along.name] ?? spec.own);
    const low = points[0].at, high = points.at(-1).at;
    const axis = `${along.name}${spec.unit ? ` (${spec.unit})` : ""}, turned in ${along.in === "both" ? "both machines" : "B alone"}`;
    const told = `${text}: machine A ${estimate(now.a)}, machine B ${estimate(now.b)}, difference ${estimate(now.difference)}, along ${along.name}.`;
    const svg = picture({ points, label: text, axis, words: spec.choices && points.map((point) => point.text),
      whole: spec.kind === "whole", wide: Math.min(Math.max(this.drawn.clientWidth, 300), 640),
      reader: reader >= low && reader <= high ? reader : undefined, turned, told, names: { a: this.#named()[0], b: this.#named()[1] } });
    this.drawn.replaceChildren(svg);
    Object.assign(this.reader, { min: low, max: high, step: spec.kind === "whole" || spec.choices ? 1 : Number(((high - low) / 200).toPrecision(1)) });
    if (document.activeElement !== this.reader) this.reader.value = reader;
    this.reader.setAttribute("aria-label", `${along.name}, ${along.in === "both" ? "both machines" : "machine B"}`);
    const between = turned && `${spec.choices ? points.find((p) => p.at === turned.low).text : turned.low} and ${spec.choices ? points.find((p) => p.at === turned.high).text : turned.high}`;
    this.flip.textContent = turned
      ? `Along ${along.name} the sign turns between ${between}.${turned.sure ? "" : " So close to it these runs do not tell the two apart."}`
      : points.length > 2 ? `Along ${along.name}, from ${points[0].text} to ${points.at(-1).text}, the sign never turns.` : "";
  }

  #count() {
    const { replications } = this.state, count = Number(replications);
    if (Number.isInteger(count) && count >= 2 && count <= T95.length) return count;
    throw new Refusal(`replications must be a whole number from 2 to ${T95.length}; '${replications}' is not.`);
  }

  // All is done: run the curves as often as the machines, if that is quick, then where the sign turns.
  #further(points, now) {
    if (this.until && sign(now.difference) === 0 && this.count < T95.length) {
      this.state.replications = String(Math.min(2 * this.count, T95.length));
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
    const head = ["", "A", "B", "B less A"].map((word) => element("th", { scope: "col" }, word));
    const rows = [...new Set([state.measure, ...this.shown])].map((name) => {
      const found = this.#compared(machines.a, machines.b, name, count), text = this.system.measures.find(([one]) => one === name)[2];
      const cells = ["a", "b", "difference"].map((kind) => element("td", {}, estimate(found[kind])));
      return element("tr", {}, element("th", { scope: "row", title: text }, name), ...cells);
    });
    this.rows.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  }

  #csv() {
    const { state, machines } = this, rows = [];
    const add = (machine, at, one) => {
      for (let k = 0; k < this.count; k += 1) {
        const seed = Number(state.seed) + k, found = this.pool.done.get(one.run(seed).key);
        if (found && !found.stop) rows.push({ machine, [state.along.name]: at, seed, ...found.measures });
      }
    };
    const now = (texts) => texts[state.along.name] ?? this.system.specs.get(state.along.name).text;
    add("A", now(state.a), machines.a), add("B", now(state.b), machines.b);
    for (const place of this.places) {
      if (state.along.in === "both") add("A", place.text, place.a);
      add("B", place.text, place.b);
    }
    return rows;
  }
}

function save(name, type, text) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Without what a machine needs the picture in the page stands as it was drawn.
function start(told) {
  if (!globalThis.WebAssembly || !globalThis.DecompressionStream) return;
  for (const root of document.querySelectorAll(".panel")) root.panel = new Panel(root, told);
}
