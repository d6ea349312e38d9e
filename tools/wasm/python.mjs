// What JavaScript lacks of Python's functions, for the code that script.py writes.
export class Refusal extends Error {}

const { abs } = Math, bool = truth, float = Number, int = Math.trunc, isfinite = Number.isFinite;
const list = (values) => [...values], tuple = list, set = (values) => [...new Set(values)];
const len = (values) => values.length, sum = (values) => list(values).reduce((a, b) => a + b, 0);
const any = (values) => values.some(truth), all = (values) => values.every(truth);
const range = (count) => Array.from({ length: count }, (_, k) => k);
const sorted = (values) => list(values).sort((a, b) => a - b);
const zip = (...lists) => range(Math.min(...lists.map(len))).map((k) => lists.map((one) => one[k]));
const repeated = (values, count) => range(count).flatMap(() => values);
const item = (values, at) => values[at < 0 ? values.length + at : at];
const max = (...values) => extreme(Math.max, values), min = (...values) => extreme(Math.min, values);

function extreme(of, values) {
  const last = values[values.length - 1], named = typeof last === "object" && !Array.isArray(last);
  const numbers = Array.isArray(values[0]) ? values[0] : values;
  return named && !numbers.length ? last.default : of(...numbers);
}

function truth(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function same(one, other) {
  if (!Array.isArray(one)) return one === other;
  return one.length === other.length && one.every((value, k) => same(value, other[k]));
}

function modulo(number, by) {
  const rest = number % by;
  return rest && rest < 0 !== by < 0 ? rest + by : rest;
}

function floordiv(number, by) {
  return Math.round((number - modulo(number, by)) / by);
}

function round(number) {
  const down = Math.floor(number), rest = number - down;
  return rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
}

function pattern(text) {
  const whole = new RegExp(`^(?:${text})$`);
  return { fullmatch: (word) => word.match(whole) };
}

export function general(number, digits = 6) {
  if (!Number.isFinite(number)) return String(number).replace("Infinity", "inf");
  const [part, power] = number.toExponential(digits - 1).split("e"), places = digits - 1 - power;
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (places >= 0 && power >= -4) return short(number.toFixed(places));
  return `${short(part)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

function formatted(value, form) {
  if (form === "g") return general(value);
  if (form === "!r" && Number.isInteger(value)) return `${value}.0`;
  if (!/f$|,/.test(form)) return String(value);
  const [whole, rest] = value.toFixed(form.endsWith("f") ? form.at(-2) : 0).split(".");
  const grouped = form.includes(",") ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return rest ? `${grouped}.${rest}` : grouped;
}
