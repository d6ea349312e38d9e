// The picture of a panel: both machines along an axis, and the difference below, with intervals.
const SVG = "http://www.w3.org/2000/svg";
const MOST_APART = 12, ASIDE = { a: -3, b: 3, d: 0 }, LEFT = 62, RIGHT = 12, UPPER = 190, LOWER = 120, TOP = 62, LINE = 16, GAP = 34, BELOW = 40;
const STYLE = `text{font:13px sans-serif;fill:var(--ink,#222)}.head{font-weight:bold}.grid{stroke:var(--rule,#ddd)}
.zero,.reader{stroke:var(--faint,#777)}.reader{stroke-dasharray:3 3}.curve,.bar{fill:none;stroke-width:2}
.a{stroke:var(--a,#666)}.curve.a{stroke-dasharray:7 3}.b,.d{stroke:var(--b,#0b6fb5)}
.band{stroke:none;opacity:.22}:is(.band,circle).a{fill:var(--a,#666)}:is(.band,circle):is(.b,.d){fill:var(--b,#0b6fb5)}
.turn{stroke:var(--turn,#c4500a);stroke-width:2}`;

export function element(name, attributes = {}, ...children) {
  const drawn = ["svg", "path", "line", "circle", "text", "style", "desc", "rect"].includes(name);
  const made = drawn ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export function save(name, type, text) {
  const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function ticks(low, high, most = 4) {
  const rough = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return found.map((at) => Number(at.toPrecision(6)));
}

const worded = (number) => String(Number(number.toPrecision(4))).replace("-", "−");

// Break a text into lines of so many letters, between words.
function folded(text, most) {
  return text.split(" ").reduce((lines, word) => {
    const last = lines.at(-1);
    return last && last.length + word.length < most ? [...lines.slice(0, -1), `${last} ${word}`] : [...lines, word];
  }, []);
}

// Draw points, each at a place with estimates a, b and difference; words name places, if any do.
export function picture({ points, low, high, label, axis, words, whole, reader, turned, told, names, wide }) {
  const heads = folded(label, wide / 7.5), top = TOP + LINE * (heads.length - 1);
  const height = top + UPPER + GAP + LOWER + BELOW;
  const svg = element("svg", { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": told, xmlns: SVG },
    element("style", {}, STYLE), ...heads.map((line, k) => element("text", { x: 4, y: 15 + LINE * k, class: "head" }, line)));
  const span = high - low;
  const x = (place) => LEFT + 8 + ((wide - LEFT - RIGHT - 16) * (place - low)) / span;
  const apart = Boolean(words) || (whole && span <= MOST_APART); // no line between values that have none
  const frame = { svg, points, x, reader, wide, apart };
  for (const [k, name] of ["a", "b"].entries()) {
    const y = top - 33 + 17 * k;
    svg.append(element("path", { d: `M6 ${y}h22`, class: `curve ${name}` }), element("text", { x: 34, y: y + 5 }, names[name]));
  }
  panel({ ...frame, top, high: UPPER, kinds: ["a", "b"] });
  const lower = top + UPPER + GAP;
  svg.append(element("text", { x: LEFT, y: lower - 7 }, "difference, B − A"));
  panel({ ...frame, top: lower, high: LOWER, kinds: ["difference"] });
  const even = ticks(low, low + span, wide / 90).filter((one) => !whole || Number.isInteger(one));
  const marks = words ? points.map((point, k) => [point.at, words[k]]) : even.map((one) => [one, worded(one)]);
  for (const [place, word] of marks) {
    svg.append(element("text", { x: x(place), y: lower + LOWER + 17, "text-anchor": "middle" }, word));
  }
  if (turned && !apart) {
    svg.append(element("line", { x1: x(turned.at), x2: x(turned.at), y1: lower, y2: lower + LOWER, class: "turn" }));
    const number = worded(Number(turned.at.toPrecision(3)));
    if (!whole) svg.append(element("text", { x: x(turned.at) + 5, y: lower + 13 }, number));
  }
  svg.append(element("text", { x: (wide + LEFT) / 2, y: height - 5, "text-anchor": "middle" }, axis));
  return svg;
}

function panel({ svg, points, x, reader, wide, apart, top, high, kinds }) {
  const drawn = kinds.map((kind) => [kind, points.filter((point) => Number.isFinite(point[kind].mean))]);
  const ends = drawn.flatMap(([kind, own]) => own.flatMap(({ [kind]: { mean, half } }) => [mean - (half || 0), mean + (half || 0)]));
  const all = [0, ...ends], least = Math.min(...all), most = Math.max(...all);
  const [floor, ceiling] = least === most ? [-1, 1] : [least, most];
  const y = (value) => top + high * (1 - (value - floor) / (ceiling - floor));
  for (const tick of ticks(floor, ceiling)) {
    svg.append(
      element("line", { x1: LEFT, x2: wide - RIGHT, y1: y(tick), y2: y(tick), class: tick === 0 ? "zero" : "grid" }),
      element("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, worded(tick)));
  }
  if (reader !== undefined) svg.append(element("line", { x1: x(reader), x2: x(reader), y1: top, y2: top + high, class: "reader" }));
  for (const [kind, own] of drawn) {
    if (!own.length) continue;
    const name = kind[0], aside = apart ? ASIDE[name] : 0; // so that one bar does not hide the other
    const line = (end) => own.map((point) => `${x(point.at) + aside} ${y(point[kind].mean + end * (point[kind].half || 0))}`);
    const bars = line(1).map((end, k) => `M${end}L${line(-1)[k]}`).join("");
    const band = element("path", { d: `M${line(1).join("L")}L${line(-1).reverse().join("L")}Z`, class: `band ${name}` });
    svg.append(...(apart ? [element("path", { d: bars, class: `bar ${name}` })]
      : [band, element("path", { d: `M${line(0).join("L")}`, class: `curve ${name}` })]),
      ...own.map((point) => element("circle", { cx: x(point.at) + aside, cy: y(point[kind].mean), r: 3, class: name })));
  }
}
