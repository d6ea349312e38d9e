// The sentences of a panel: what the machines come to, where the difference turns, why none is told.
const STOPS = {
  "-1": "No seek curve has these three times; they must rise, or be equal.",
  "-2": "Algorithm 3 is the reader's own rule: hand it to simulate, in Python, as replacement=.",
  "-3": "The machine failed.",
};
const LEGEND = "± and bands are 95 % confidence intervals of a mean over the runs. A run of A and one of B see the same load;"
  + " the table's last column is what they would tell if each had a load of its own."
  + " The dashed line is where B stands; an orange one, where the difference changes its sign.";

// Return what both machines came to; names say what they stand for, looks how often it was looked at.
function answered({ a, b, difference, ran }, measure, names, looks, stopped) {
  if (!a.n && ran) return `${measure} has no value in ${ran === 1 ? "the first run" : `any of ${ran} paired runs`}.`;
  if (!a.n) return stopped ? "Stopped before the first runs had ended." : "The machines run…";
  const [one, other] = names.map((name) => name.replace(/: (.*)/, " ($1)")), sure = sign(difference);
  const runs = a.n === 1 ? "one run of each" : `${a.n} paired runs`;
  const verdict = sure ? `; ${sure < 0 ? "B" : "A"}'s is the smaller` : "; they can't tell A and B apart";
  const often = looks > 1 ? ` You looked ${looks} times, until they differed: that errs more often than 1 time in 20.` : "";
  return `${measure} is ${estimate(a)} in ${one} and ${estimate(b)} in ${other}. B − A is ${estimate(difference)},`
    + ` over ${runs}${a.n > 1 ? verdict : ""}${stopped ? "; stopped" : ""}.${often}`;
}

// Return where along an axis the difference of points changes its sign, if it does.
function flipped(points, name, choices) {
  const turned = turn(points), worded = (at) => (choices ? points.find((point) => point.at === at).text : at);
  if (turned) {
    const doubt = turned.sure ? "" : " At these two values the runs can't tell A and B apart.";
    return `The difference changes its sign between ${name} = ${worded(turned.low)} and ${worded(turned.high)}.${doubt}`;
  }
  const known = points.filter(({ difference }) => difference.n > 1), sure = known.filter(({ difference }) => sign(difference));
  if (known.length < 2) return "";
  const reach = `from ${name} = ${known[0].text} to ${known.at(-1).text}`;
  if (!sure.length) return `At no value ${reach} can these runs tell A and B apart.`;
  const all = sure.length === known.length ? "" : ", though these runs can't tell A and B apart everywhere";
  return `The difference keeps its sign ${reach}${all}.`;
}

// Return a machine's letter, and what differs in it from the paper's.
function differing(letter, texts) {
  const words = Object.entries(texts).map(([name, text]) => `${name} = ${text}`);
  return letter + (words.length ? ` (${words.join(", ")})` : "");
}

// The finding of the page, of the headline's machines; once these are turned, what yours come to is before it.
class Finding {
  constructor(verdicts, back) {
    this.own = verdicts.length && document.querySelector("article p > strong:first-child")?.parentElement;
    this.verdicts = verdicts;
    this.back = element("button", { type: "button", onclick: back }, "start over");
    this.yours = element("p", { class: "finding-turned" });
  }

  tell({ a, b, difference }, state, turned) {
    if (!this.own) return;
    const speaks = turned && a.n > 0;
    this.own.classList.toggle("finding-kept", speaks);
    if (!speaks) return void this.yours.remove();
    const which = sign(difference), verdict = which ? this.verdicts[which < 0 ? 0 : 1] : "The runs can't tell the two apart.";
    const told = ` In the machines that you set: ${state.measure} is ${estimate(a)} in ${differing("A", state.a)},`
      + ` ${estimate(b)} in ${differing("B", state.b)}; B − A is ${estimate(difference)}. `;
    this.yours.replaceChildren(element("strong", {}, verdict), told, this.back);
    if (!this.yours.isConnected) this.own.before(this.yours);
  }
}
