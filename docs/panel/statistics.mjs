// Means over runs and their 95 % intervals; T95 has Student's quantiles by degrees of freedom.
export function interval(values) {
  const n = values.length, mean = values.reduce((a, b) => a + b, 0) / n;
  if (!n) return { n: 0, mean: NaN, half: NaN };
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  return { n, mean, half: n > 1 ? (T95[Math.min(n - 2, T95.length - 1)] * spread) / Math.sqrt(n) : NaN };
}

// The difference of means of runs that have nothing in common, with Welch's half-width.
export function apart(one, other) {
  const parts = [one, other].map(({ n, half }) => (half / T95[Math.min(n - 2, T95.length - 1)]) ** 2), sum = parts[0] + parts[1];
  const freedom = Math.floor(sum ** 2 / parts.reduce((all, part, k) => all + part ** 2 / ([one, other][k].n - 1), 0));
  return { n: one.n, mean: other.mean - one.mean, half: one.n > 1 ? (sum && T95[Math.min(freedom, T95.length) - 1] * Math.sqrt(sum)) : NaN };
}

// Whether an interval leaves out 0: -1 below, 1 above, 0 if it doesn't.
export function sign({ mean, half }) {
  return Math.abs(mean) > half ? Math.sign(mean) : 0;
}

// A number with as many digits as its half-width gives it a meaning.
export function estimate({ mean, half }) {
  if (!Number.isFinite(mean)) return "not measured";
  if (half <= 1e-9 * Math.abs(mean)) return `${Number(mean.toPrecision(6))} ± 0`.replace("-", "−");
  const digits = 1 - Math.floor(Math.log10(half || Math.abs(mean) / 100 || 1));
  const shown = (number) => {
    const rounded = digits < 0 ? Math.round(number / 10 ** -digits) * 10 ** -digits : number;
    return rounded.toFixed(Math.min(Math.max(digits, 0), 6)).replace("-", "−");
  };
  return half >= 0 ? `${shown(mean)} ± ${shown(half)}` : shown(mean);
}

// Places along an axis: so many evenly apart, whole ones if only these make sense.
export function places(low, high, count, whole) {
  const even = Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
  const at = whole ? even.map(Math.round) : even.map((one) => Number(one.toPrecision(4)));
  return [...new Set(at)];
}

// Where the sign of differences along an axis turns: between which places, and how surely.
export function turn(points) {
  const known = points.filter(({ difference }) => difference.n > 1 && difference.mean !== 0);
  for (let k = 1; k < known.length; k += 1) {
    const [left, right] = [known[k - 1], known[k]];
    const [from, to] = [left.difference.mean, right.difference.mean];
    if (from * to < 0) {
      const at = left.at + ((right.at - left.at) * from) / (from - to);
      return { low: left.at, high: right.at, at, sure: sign(left.difference) * sign(right.difference) < 0 };
    }
  }
  return null;
}
