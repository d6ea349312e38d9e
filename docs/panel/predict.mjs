// Predict first: a prediction is sealed before its machines run, kept, compared, and handed in.
const SURE = [50, 60, 70, 80, 90, 95, 99], TAPS = [-50, -40, -30, -20, -10, -5, 0, 5, 10, 20, 30, 40, 50];
const GUESS = /^(?:(\d{1,3})[x×*])?([-−+]?\d+(?:\.\d+)?)%?$/, SIZE = /^\d+(?:[.,]\d+)?\s*%?$/;
const MOST_BARS = 12, MOST_RAN = 200, MOST_GUESSES = 1000, WORDS = { "-1": "smaller", 1: "larger", 0: "too near to call" };
const EMPTY = { name: "", explanation: "", hands: false, further: false, draft: {}, sealed: [], ran: {} };
const minus = (number) => String(number).replace("-", "−");

class Unfit extends Error {}

// What is kept in this browser under a name; where nothing can be kept, the page says so.
class Kept {
  constructor(name, lost) {
    Object.assign(this, { name, lost });
    this.record = structuredClone(EMPTY);
    try {
      Object.assign(this.record, JSON.parse(localStorage.getItem(name)));
    } catch { lost(); }
  }

  keep() {
    try {
      localStorage.setItem(this.name, JSON.stringify(this.record));
    } catch { this.lost(); }
  }

  forget() {
    try { localStorage.removeItem(this.name); } catch { /* nothing is kept */ }
  }
}

// Return the guesses of a list such as "-20 5x10 0", in percent.
function guesses(text) {
  const all = text.split(/[\s,;]+/).filter(Boolean).flatMap((word) => {
    const [, times, number] = word.match(GUESS) ?? [];
    if (!number) throw new Unfit(`A guess must be a number such as -20, or 5x-20 for five of them; '${word}' is not.`);
    return Array(Number(times ?? 1)).fill(Number(number.replace("−", "-")));
  });
  if (all.length > MOST_GUESSES) throw new Unfit(`A class may have ${MOST_GUESSES} guesses; these are ${all.length}.`);
  return all;
}

function median(values) {
  const sorted = [...values].sort((one, other) => one - other), half = sorted.length / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half) - 1]) / 2 || 0;
}

// B − A in percent of A's mean, with the half-width of the difference.
function percent({ a, difference: { mean, half } }) {
  return { mean: (100 * mean) / a.mean, half: (100 * half) / a.mean };
}

// Draw guesses as bars, one at its place, and what the machines came to.
function histogram(all, found, wide) {
  const reach = [0, ...all, ...(found ? [found.mean - found.half, found.mean + found.half] : [])].filter(Number.isFinite);
  const marks = ticks(Math.min(...reach) - 1, Math.max(...reach) + 1, MOST_BARS), step = marks[1] - marks[0];
  const [low, high] = [Math.round(Math.min(...reach) / step), Math.round(Math.max(...reach) / step)], bars = high - low + 1;
  const counts = Array(bars).fill(0), each = (wide - 16) / bars, x = (value) => 8 + each * (value / step - low + 0.5);
  for (const one of all) counts[Math.round(one / step) - low] += 1;
  const top = 40, floor = 170, tall = (count) => ((floor - top - 18) * count) / Math.max(...counts, 1), every = Math.ceil(46 / each);
  const answer = found && `the machine: ${estimate(found)} %`, many = all.length > 1;
  const told = `${many ? "Histogram of" : "Prediction:"} ${many ? `${all.length} guesses, median ${minus(median(all))}` : minus(all[0] ?? "none")} %${answer ? `; ${answer}` : ""}.`;
  const svg = element("svg", { viewBox: `0 0 ${wide} 212`, role: "img", "aria-label": told, xmlns: SVG },
    element("style", {}, `${STYLE}.guess{fill:var(--a,#666)}
.flag{paint-order:stroke;stroke:var(--color-background-primary,#fff);stroke-width:4}`));
  const add = (name, attributes, ...children) => svg.append(element(name, attributes, ...children));
  if (found) add("rect", { x: x(found.mean - found.half), y: top, width: Math.max(2, x(found.mean + found.half) - x(found.mean - found.half)), height: floor - top, class: "band b" });
  for (const [k, count] of counts.entries()) {
    const value = (low + k) * step;
    if (count && many) add("rect", { x: x(value) - 0.42 * each, y: floor - tall(count), width: 0.84 * each, height: tall(count), class: "guess" });
    if (count && many) add("text", { x: x(value), y: floor - tall(count) - 4, "text-anchor": "middle" }, String(count));
    if ((low + k) % every === 0) add("text", { x: x(value), y: floor + 17, "text-anchor": "middle" }, minus(Number(value.toPrecision(6))));
  }
  const flag = (at, y, word, kind) => {
    const half = 3.8 * word.length, place = Math.min(Math.max(x(at), half + 2), wide - half - 2);
    add("line", { x1: x(at), x2: x(at), y1: y + 4, y2: floor, class: kind, "stroke-width": 3 });
    add("text", { x: place, y, "text-anchor": "middle", class: "head flag" }, word);
  };
  add("line", { x1: 4, x2: wide - 4, y1: floor, y2: floor, class: "zero" });
  if (found) flag(found.mean, 14, answer, "b");
  if (all.length === 1) flag(all[0], 34, `predicted: ${minus(all[0])} %`, "a");
  add("text", { x: wide / 2, y: 207, "text-anchor": "middle" }, "B − A, in % of A's mean");
  return svg;
}

class Predict {
  constructor(root, asked) {
    Object.assign(this, { root, asked });
    this.lost = element("p", { class: "predict-refused", role: "alert" });
    const kept = new Kept(`perfkit-predict-${asked.key}`, () => { this.lost.textContent = "This browser keeps nothing for this page: save the file before you close it."; });
    this.kept = kept, this.record = kept.record;
    if (location.hash === "#class") this.record.hands = true;
    this.form = element("form", { novalidate: true });
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.#seal(); });
    this.form.addEventListener("input", () => this.#drafted());
    this.status = element("p", { role: "status", class: "predict-status" });
    this.head = element("h2", { id: "yours", tabindex: -1 }, "Your prediction beside the machine");
    this.list = element("ol", { class: "predict-sealed" });
    this.more = element("button", { type: "button", onclick: () => this.#further(true) }, "Predict another pair of machines");
    this.place = element("div", {});
    this.place.addEventListener("answered", ({ detail }) => this.#answered(detail), true);
    this.opened = element("section", { hidden: true }, this.head, this.status, this.list, element("p", {}, this.more));
    this.after = element("section", { hidden: true }, ...this.#handIn());
    root.replaceChildren(this.lost, this.opened, this.form, this.place, this.after);
    this.#draw();
  }

  keep(part) {
    Object.assign(this.record, part);
    this.kept.keep();
  }

  #labelled(word, control, small = "") {
    control.id ||= `predict-${control.name}`;
    return element("p", {}, element("label", { for: control.id }, word, element("small", {}, small)), control);
  }

  // Write the form of a prediction, with what was drafted.
  #draft() {
    const { record: { draft, hands, further }, asked } = this, [a, b] = asked.names;
    const area = (name, word, small) => this.#labelled(word, element("textarea", { name, rows: 3 }, draft[name] ?? ""), small);
    const whole = element("input", { type: "checkbox", id: "predict-hands", checked: hands });
    whole.addEventListener("change", () => { this.keep({ hands: whole.checked }), this.#draft(); });
    const machines = further ? "the machines below, A and B" : `A (${a}) and B (${b})`;
    this.refused = element("p", { class: "predict-refused", role: "alert" });
    this.form.replaceChildren(
      element("h2", {}, further ? "A further prediction" : "Your prediction"),
      element("p", {}, further ? "Turn the machines below. What they come to stays hidden until you seal." : `Of ${machines}: compare ${asked.what}.`),
      element("p", {}, whole, element("label", { for: whole.id }, " show of hands: guesses of a class")),
      ...(hands ? this.#hands(draft) : this.#single(draft)),
      area("why", hands ? "Why? What the class says" : "Why do you think so?", " (a sentence)"), this.refused,
      element("p", {}, element("button", { type: "submit", class: "predict-seal" }, hands ? "Seal the class's guesses" : "Seal my prediction"),
        ...(further ? [" ", element("button", { type: "button", onclick: () => this.#further(false) }, "Cancel")] : [])));
    if (hands) this.#shown();
  }

  #single(draft) {
    const choices = [["-1", "smaller than in A"], ["1", "larger than in A"], ["0", "so near to A's that the runs can't tell"]];
    const radio = ([value, word]) => element("label", {}, element("input", { type: "radio", name: "direction", value, checked: draft.direction === value }), ` ${word}`);
    const size = element("input", { name: "size", inputmode: "decimal", size: 6, value: draft.size ?? "", autocomplete: "off" });
    const sure = element("select", { name: "sure" }, element("option", { value: "" }, "choose"),
      ...SURE.map((one) => element("option", { value: one, selected: draft.sure === String(one) }, `${one} %`)));
    return [element("fieldset", {}, element("legend", {}, "In B it will be"), ...choices.map(radio)),
      this.#labelled("By how many percent of A's mean?", size, " (a number of 0 or more; none if the runs can't tell)"),
      this.#labelled("How sure are you of the direction?", sure, " (50 %: as of a coin)")];
  }

  #hands(draft) {
    const list = element("textarea", { name: "guesses", rows: 2, autocomplete: "off" }, draft.guesses ?? "");
    const tap = (value) => element("button", { type: "button", "aria-label": `one more guess of ${minus(value)} %`, onclick: () => {
      list.value = `${list.value.trim()} ${value}`.trim(), this.#drafted();
    } }, minus(value));
    this.chart = element("figure", {});
    this.counted = element("p", { role: "status" });
    return [this.#labelled("Guesses of B − A, in percent of A's mean", list, " (-20: a fifth less in B; 5x-20: five of them)"),
      element("p", { class: "predict-taps", role: "group", "aria-label": "add a guess" }, ...TAPS.map(tap)), this.counted, this.chart];
  }

  #shown() {
    try {
      const all = guesses(this.record.draft.guesses ?? "");
      this.counted.textContent = all.length ? `${all.length} guesses, median ${minus(median(all))} %` : "";
      this.chart.replaceChildren(...(all.length ? [histogram(all, null, this.#wide())] : []));
      this.refused.textContent = "";
    } catch (unfit) { this.counted.textContent = unfit.message; }
  }

  #wide() {
    return Math.min(Math.max(this.root.clientWidth - 24, 260), 640);
  }

  #drafted() {
    this.keep({ draft: { ...this.record.draft, ...Object.fromEntries(new FormData(this.form)) } });
    if (this.record.hands) this.#shown();
  }

  // Return what was predicted, or refuse it in a sentence, at the field that lacks it.
  #predicted() {
    const { draft, hands } = this.record, why = (draft.why ?? "").trim();
    const must = (fits, name, message) => {
      if (fits) return;
      this.form.querySelector(`[name=${name}]`).focus();
      throw new Unfit(message);
    };
    if (hands) {
      const all = guesses(draft.guesses ?? "");
      must(all.length, "guesses", "Type or tap the guesses first.");
      return { guesses: all, direction: Math.sign(median(all)), percent: median(all), why };
    }
    must(draft.direction in WORDS, "direction", "Choose a direction first.");
    const direction = Number(draft.direction), size = (draft.size ?? "").trim();
    must(!direction || SIZE.test(size), "size", `The size must be a number of 0 or more, in percent; '${size}' is not.`);
    const number = direction && direction * parseFloat(size.replace(",", "."));
    must(number >= -100, "size", "B's can't be smaller by more than 100 %.");
    must(draft.sure, "sure", "Say how sure you are.");
    must(why, "why", "Write a sentence that says why.");
    return { direction, percent: number, sure: Number(draft.sure), why };
  }

  #seal() {
    const { record, asked } = this;
    try {
      const told = this.#predicted(), panel = this.place.querySelector(".panel")?.panel;
      if (record.further && !panel?.machines) throw new Unfit("The machines below are not ready; put right what they refuse.");
      const state = record.further ? panel.state : asked.first, address = written(state);
      record.sealed.push({ sealed: new Date().toISOString(), address, a: state.a, b: state.b, measure: state.measure, seen: address in record.ran, ...told });
      this.keep({ further: false, draft: {} });
    } catch (unfit) {
      if (!(unfit instanceof Unfit)) throw unfit;
      return void (this.refused.textContent = unfit.message);
    }
    if (record.sealed.length === 1) history.replaceState(null, "", location.pathname + location.search);
    this.#draw();
    if (this.last) this.#answered(this.last);
    return this.head.focus();
  }

  #further(further) {
    this.keep({ further, draft: {} });
    this.#draw();
    (further ? this.form.querySelector("input, textarea") : this.more).focus();
  }

  // Open what a seal opens: the panel with its player, the comparison, the explanation.
  #draw() {
    const { sealed, further } = this.record;
    if (sealed.length && !this.place.children.length) this.place.append(document.getElementById("sealed").content.cloneNode(true));
    this.place.querySelector(".panel")?.classList.toggle("covered", further);
    this.opened.hidden = this.after.hidden = !sealed.length;
    this.form.hidden = sealed.length && !further;
    this.more.hidden = further;
    if (this.form.hidden) this.form.replaceChildren();
    else this.#draft();
    this.#cards();
  }

  // The panel says what its machines came to: it is kept once they are done, or if it was asked for.
  #answered(told) {
    this.last = told;
    const { record } = this, { address, count, ran, a, b, difference, measure, names } = told;
    const asked = record.sealed.some((one) => one.address === address), many = Object.keys(record.ran).length >= MOST_RAN;
    if (record.further || ran < 2 || ran <= record.ran[address]?.ran || (!asked && (ran < count || many))) return;
    record.ran[address] = { measure, names, count, ran, a, b, difference, at: new Date().toISOString() };
    this.keep({});
    if (asked) this.#cards();
  }

  #cards() {
    const { sealed, ran } = this.record, last = sealed.at(-1), found = last && ran[last.address];
    this.list.replaceChildren(...sealed.map((one) => this.#card(one)));
    this.status.setAttribute("aria-busy", !found || found.ran < found.count);
    this.status.textContent = last ? this.#verdict(last, found) : "";
  }

  // Return in a sentence how a prediction fares beside what the machines came to.
  #verdict({ direction, percent: said, guesses: all }, found) {
    if (!found) return "These machines have not run yet.";
    if (found.ran < found.count) return `${found.ran} of ${found.count} paired runs are done.`;
    const is = percent(found), which = sign(found.difference), off = Math.abs(said - is.mean);
    const within = (one) => Math.abs(one - is.mean) <= is.half;
    const right = which === direction ? "is right" : which ? "is wrong" : "is not decided: the runs can't tell";
    const number = `${Number.isFinite(off) ? `off by ${Number(off.toPrecision(2))} percentage points` : "not comparable"}; it lies ${within(said) ? "within" : "outside"} the interval, ${estimate(is)} %`;
    if (!all) return `The direction ${right}. The number is ${number}.`;
    const sided = all.filter((one) => Math.sign(one) === which).length;
    return `${sided} of ${all.length} guesses have the machine's direction (${WORDS[which]}); ${all.filter(within).length} lie within the interval. The median is ${number}.`;
  }

  #card(one) {
    const found = this.record.ran[one.address], row = (head, ...cells) => element("tr", {}, element("th", { scope: "row" }, head), ...cells.map((cell) => element("td", {}, cell)));
    const when = `${new Date(one.sealed).toLocaleString()}${one.seen ? ", after this result had been seen" : ", before these machines had run"}`;
    const size = `${minus(one.percent)} %${one.guesses ? " (median)" : ""}`, is = found && percent(found);
    const [a, b] = found?.names ?? this.asked.names.map((name, k) => `${"AB"[k]}: ${name}`), open = "not run yet";
    const rows = [
      row(a, "", found ? estimate(found.a) : open), row(b, "", found ? estimate(found.b) : open), row("B − A", "", found ? estimate(found.difference) : open),
      row("in % of A's mean", size, found ? `${estimate(is)} %` : open),
      row("in B it is", WORDS[one.direction], found ? WORDS[sign(found.difference)] : open)];
    const who = one.guesses ? `${one.guesses.length} guesses of a class.` : `${one.sure} % sure.`;
    const head = element("tr", {}, ...["", "predicted", "the machine"].map((word) => (word ? element("th", { scope: "col" }, word) : element("td"))));
    const about = `${one.measure}: ${this.asked.measures[one.measure] ?? ""}${found ? `; ${found.a.n} paired runs, ± is a 95 % confidence interval` : ""}.`;
    return element("li", {}, element("p", {}, element("strong", {}, `Sealed ${when}`)), element("p", {}, [who, one.why].filter(Boolean).join(" ")),
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)), element("p", {}, element("small", {}, about)),
      element("figure", {}, histogram(one.guesses ?? [one.percent], found && is, this.#wide())),
      element("p", { class: "predict-verdict" }, this.#verdict(one, found)));
  }

  #handIn() {
    const field = (name, control) => {
      control.value = this.record[name];
      control.addEventListener("input", () => this.keep({ [name]: control.value }));
      return control;
    };
    const text = field("explanation", element("textarea", { name: "explanation", rows: 6 })), name = field("name", element("input", { name: "name", autocomplete: "off" }));
    const forget = () => { if (confirm("Forget all predictions and texts of this page on this device?")) this.kept.forget(), location.reload(); };
    return [element("h2", {}, "Explain"), element("p", {}, this.asked.explain.replaceAll("`", "")),
      this.#labelled("Your explanation: why is it so, and what did your prediction leave out?", text), element("h2", {}, "Hand in"),
      this.#labelled("Your name, as your teacher wants it", name, " (stays in this browser and in the file)"),
      element("p", {}, element("button", { type: "button", class: "predict-seal", onclick: () => this.#save() }, "Save the file to hand in"), " ",
        element("button", { type: "button", onclick: forget }, "Forget everything on this device"))];
  }

  // One file that a browser shows and a program reads: all that was predicted, run and written.
  #save() {
    const { asked: { key, lab, question, machine, what }, record: { name, explanation, sealed, ran } } = this;
    const all = JSON.stringify({ page: `predict/${key}`, lab, question, machine, what, name, saved: new Date().toISOString(), sealed, ran, explanation }, null, 1);
    const line = ([address, { names, measure, a, b, difference }]) => element("tr", {}, ...[names.join("; "), measure, a.n, ...[a, b, difference].map(estimate), `machines/${key}.html${address}`].map((cell) => element("td", {}, String(cell))));
    const heads = element("tr", {}, ...["machines", "measure", "paired runs", "A", "B", "B − A", "address"].map((word) => element("th", {}, word)));
    const body = element("main", {}, element("h1", {}, question), element("p", {}, `Lab ${lab}. ${machine} Compared: ${what}.`), element("p", {}, `Name: ${name}`), element("h2", {}, "Predicted"), this.list.cloneNode(true),
      element("h2", {}, "Explained"), element("p", { style: "white-space:pre-wrap" }, explanation), element("h2", {}, "Run"), element("table", {}, heads, ...Object.entries(ran).map(line)));
    save(`predict-${key}${name && `-${name.replace(/[^\p{L}\p{N}]+/gu, "_")}`}.html`, "text/html",
      `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${key}</title><style>body{font:16px sans-serif;max-width:46em;margin:1em auto}td,th{text-align:left;padding:.2em .6em .2em 0;vertical-align:top}td:last-child{overflow-wrap:anywhere}figure{margin:0}</style>
${body.outerHTML}<script type="application/json" id="all">${all.replaceAll("<", "\\u003c")}</script></html>\n`);
  }
}

function ask(asked) {
  const root = document.getElementById("predict");
  root.predict = new Predict(root, asked);
}
