// A what-if that lives in the page: controls choose among runs that were made when it was built.
// Without scripts the picture in the page stands as it was drawn.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 340, LEFT = 46, RIGHT = 10, HEIGHTS = [150, 96], GAP = 30, TOP = 24, BELOW = 36;

function element(name, attributes = {}, ...children) {
  const made = ["svg", "path", "line", "circle", "text", "g"].includes(name)
    ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function fixed(number, digits) {
  return number.toFixed(Math.min(Math.max(digits, 0), 3)).replace("-", "−");
}

// A number with as many digits as its half-width gives it a meaning.
function estimate(mean, half) {
  if (mean === null) return "not measured";
  const digits = 1 - Math.floor(Math.log10(half || Math.abs(mean) / 10 || 1));
  return half ? `${fixed(mean, digits)} ± ${fixed(half, digits)}` : fixed(mean, half === 0 ? digits : 2);
}

function ticks(low, high) {
  const rough = (high - low) / 3 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return found.map((at) => Math.round(at / step) * step);
}

class WhatIf {
  constructor(root, grid) {
    this.grid = grid;
    this.state = grid.turn.map((one) => one.first);
    this.place = grid.along.own;
    this.inputs = grid.turn.map((one, k) => this.control(one, one.first, (v) => { this.state[k] = v; }));
    this.reader = this.control(grid.along, this.place, (v) => { this.place = v; }, "read at: ");
    const back = element("button", { type: "button" }, "as in the paper");
    back.addEventListener("click", () => this.reset());
    this.panels = element("div", { class: "whatif-panels" });
    this.table = element("table", { class: "whatif-table" });
    this.line = element("code", {});
    this.copied = element("span", { role: "status" });
    const copy = element("button", { type: "button" }, "copy");
    copy.addEventListener("click", () => this.copy());
    const controls = element("div", { class: "whatif-controls" });
    controls.append(...this.inputs.map((one) => one.label), this.reader.label, back);
    const scroll = element("div", { class: "scroll" }, this.table);
    const command = element("p", { class: "whatif-line" }, this.line, " ", copy, " ", this.copied);
    const note = element("p", { class: "whatif-note" }, grid.note);
    root.replaceChildren(controls, this.panels, scroll, command, note);
    root.classList.add("live");
    this.draw();
  }

  control(one, first, set, before = "") {
    const told = element("output", {}, one.words[first]);
    const label = element("label", {}, element("span", {}, before + one.label + " ", told));
    const input = one.slides
      ? element("input", { type: "range", min: 0, max: one.words.length - 1, step: 1 })
      : element("select", {}, ...one.words.map((word, k) => element("option", { value: k }, word)));
    input.value = first;
    input.dataset.name = one.name;
    if (one.slides) input.setAttribute("aria-valuetext", one.words[first]);
    else told.hidden = true;
    input.addEventListener("input", () => {
      set(Number(input.value));
      told.textContent = one.words[input.value];
      if (one.slides) input.setAttribute("aria-valuetext", told.textContent);
      this.draw();
    });
    label.append(input);
    return { label, input, own: one.own };
  }

  reset() {
    for (const one of this.inputs) {
      one.input.value = one.own;
      one.input.dispatchEvent(new Event("input"));
    }
  }

  // Mean, half-width and half-width of the difference of a measure, along the axis.
  curve(state, measure) {
    const { turn, along, measures, numbers } = this.grid;
    const row = state.reduce((found, value, k) => found * turn[k].words.length + value, 0);
    return along.at.map((_, k) => {
      const from = 3 * ((row * along.at.length + k) * measures.length + measure);
      return numbers.slice(from, from + 3);
    });
  }

  draw() {
    const own = this.grid.turn.map((one) => one.own);
    const same = own.every((value, k) => value === this.state[k]);
    const found = this.grid.measures.map((label, m) => {
      const base = this.curve(own, m), turned = this.curve(this.state, m);
      const change = turned.map(([mean, , half], k) =>
        mean === null || base[k][0] === null ? [null, null] : [mean - base[k][0], half]);
      return { label, base, turned, change };
    });
    this.panels.replaceChildren(...found.map((one) => this.panel(one, same)));
    this.read(found);
    const words = this.grid.turn.flatMap((one, k) =>
      this.state[k] === one.own ? [] : [`${one.name}=${one.values[this.state[k]]}`]);
    const { key, settings, along, replications } = this.grid;
    const at = `${along.name}=${along.values[this.place]}`;
    this.line.textContent =
      ["perfkit run", key, ...settings, ...words, at, `replications=${replications}`].join(" ");
    this.copied.textContent = "";
  }

  panel({ label, base, turned, change }, same) {
    const height = TOP + HEIGHTS[0] + GAP + HEIGHTS[1] + BELOW;
    const k = this.place;
    const told = `${label}, at ${this.grid.along.label} ${this.grid.along.words[k]}: in the paper's`
      + ` machine ${estimate(...base[k])}, as turned ${estimate(...turned[k])},`
      + ` difference ${estimate(...change[k])}.`;
    const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": told });
    svg.append(element("text", { x: 2, y: 14, class: "head" }, label));
    const curves = same ? [[base, "own"]] : [[base, "own"], [turned, "turned"]];
    this.axes(svg, TOP, HEIGHTS[0], curves, true);
    const lower = TOP + HEIGHTS[0] + GAP;
    svg.append(element("text", { x: LEFT, y: lower - 6 }, "difference"));
    this.axes(svg, lower, HEIGHTS[1], [[change, "turned"]], false);
    svg.append(element("text", { x: (WIDTH + LEFT) / 2, y: height - 4, "text-anchor": "middle" },
      this.grid.along.label));
    return element("figure", {}, svg);
  }

  axes(svg, top, height, curves, above) {
    const ends = curves.flatMap(([points]) => points.flatMap(([mean, half]) =>
      mean === null ? [] : [mean - (half ?? 0), mean + (half ?? 0)]));
    let low = Math.min(0, ...ends), high = Math.max(0, ...ends);
    if (above && curves.every(([points]) => points.every(([mean]) => mean >= 0))) low = 0;
    if (high === low) [low, high] = [-1, 1];
    const at = this.grid.along.at, first = at[0], span = at[at.length - 1] - first;
    const x = (value) => LEFT + 6 + (WIDTH - LEFT - RIGHT - 12) * (value - first) / span;
    const y = (value) => top + height * (1 - (Math.max(value, low) - low) / (high - low));
    for (const tick of ticks(low, high)) {
      svg.append(
        element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick),
          class: tick === 0 ? "zero" : "grid" }),
        element("text", { x: LEFT - 5, y: y(tick) + 4, "text-anchor": "end" },
          String(Number(tick.toPrecision(3))).replace("-", "−")));
    }
    svg.append(element("line", { x1: x(at[this.place]), x2: x(at[this.place]), y1: top,
      y2: top + height, class: "reader" }));
    if (!above) {
      let last = -100;
      at.forEach((value, k) => {
        if (x(value) - last < 28) return;
        last = x(value);
        svg.append(element("text", { x: last, y: top + height + 15, "text-anchor": "middle" },
          this.grid.along.words[k]));
      });
    }
    for (const [points, kind] of curves) {
      const there = points.flatMap(([mean, half], k) =>
        mean === null ? [] : [[x(at[k]), y(mean), y(mean + (half ?? 0)), y(mean - (half ?? 0))]]);
      const path = (corners) => corners.map((pair) => pair.join(" ")).join("L");
      const over = there.map(([a, , b]) => [a, b]), under = there.map(([a, , , c]) => [a, c]);
      if (!there.length) continue;
      svg.append(
        element("path", { d: `M${path(over)}L${path(under.reverse())}Z`, class: `band ${kind}` }),
        element("path", { d: `M${path(there.map(([a, b]) => [a, b]))}`, class: `curve ${kind}` }),
        ...there.map(([a, b]) => element("circle", { cx: a, cy: b, r: 3, class: kind })));
    }
  }

  read(found) {
    const k = this.place, { along } = this.grid;
    const cell = (name, ...texts) => element(name, name === "th" ? { scope: "col" } : {}, ...texts);
    const head = element("tr", {}, cell("th", `at ${along.words[k]}: ${along.label}`),
      cell("th", element("i", { class: "own" }), "the paper's machine"),
      cell("th", element("i", { class: "turned" }), "as turned"), cell("th", "difference"));
    const rows = found.map((one) => element("tr", {},
      element("th", { scope: "row" }, one.label), cell("td", estimate(...one.base[k])),
      cell("td", estimate(...one.turned[k])), cell("td", estimate(...one.change[k]))));
    this.table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }

  copy() {
    const chosen = document.createRange();
    chosen.selectNodeContents(this.line);
    getSelection().removeAllRanges();
    getSelection().addRange(chosen);
    const done = () => { this.copied.textContent = "copied"; };
    const selected = () => { this.copied.textContent = "selected: copy it with the keyboard"; };
    if (navigator.clipboard) navigator.clipboard.writeText(this.line.textContent).then(done, selected);
    else selected();
  }
}

for (const root of document.querySelectorAll(".whatif")) {
  const grid = (window.whatifGrids ?? {})[root.dataset.key];
  if (grid) new WhatIf(root, grid);
}
