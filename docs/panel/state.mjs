// What a panel shows, in words: it stands in the page's address, in a line for the shell, in Python.
const MARK = "#turn:";

// Return a state as the end of an address, and back; machines a and b hold texts by name.
export function written(state) {
  const { a, b, along, ...rest } = state, pairs = [];
  for (const [machine, texts] of Object.entries({ a, b, along })) {
    for (const [name, text] of Object.entries(texts)) pairs.push([`${machine}.${name}`, text]);
  }
  return MARK + new URLSearchParams([...pairs, ...Object.entries(rest)]).toString();
}

export function readBack(address, first) {
  if (!address.startsWith(MARK)) return null;
  const state = { ...first, a: {}, b: {}, along: {} };
  for (const [name, text] of new URLSearchParams(address.slice(MARK.length))) {
    const [part, ...rest] = name.split(".");
    if (["a", "b", "along"].includes(part)) state[part][rest.join(".")] = text;
    else if (part in first) state[part] = text;
  }
  return state;
}

// Return the line for a shell that gives A, B and B − A; where they are the same, A alone.
export function shellLine(key, { a, b, replications, seed }, specs) {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])], own = (name) => specs.get(name).text;
  const word = (name, text) => {
    if (specs.get(name).many) return `${name}=${text.replaceAll(" ", "")}`;
    return text.includes(" ") ? `${name}='${text}'` : `${name}=${text}`;
  };
  const words = (texts, which) => which.map((name) => word(name, (texts[name] ?? own(name)).trim()));
  const [first, second] = [a, b].map((texts) => words(texts, names).join());
  const counts = [`replications=${replications}`, ...(Number(seed) ? [`seed=${seed}`] : [])];
  // Where B is the paper's machine its values are written out: A would come second otherwise.
  const other = first === second ? [] : ["--compare", ...words(b, Object.keys(b).length ? Object.keys(b) : names)];
  return ["perfkit run", key, ...words(a, Object.keys(a)), ...counts, ...other].join(" ");
}

export function pythonCell(key, { a, b, measure, replications, seed }, specs) {
  const valueOf = (name, text) => {
    const spec = specs.get(name), one = (word) => {
      if (spec.kind === "word") return JSON.stringify(word.trim());
      if (spec.kind === "truth") return word.trim().toLowerCase() === "true" ? "True" : "False";
      return INFINITE.test(word) ? "float('inf')" : word.trim();
    };
    if (!spec.many) return one(text);
    return `(${text.split(",").filter((part) => part.trim()).map(one).join(", ")},)`;
  };
  const machine = (texts) =>
    `{${Object.entries(texts).map(([name, text]) => `"${name}": ${valueOf(name, text)}`).join(", ")}}`;
  return `from perfkit.runs import what_if
from perfkit.systems import ${key}

variants = {"A": ${machine(a)}, "B": ${machine(b)}}
runs = what_if.run(${key}.simulate, ${key}.Parameters(), variants, ${replications}, seed=${seed})
what_if.compare(runs, "${measure}", "${measure}")`;
}

// Return rows as comma-separated values, their names first.
export function asCsv(rows) {
  const cell = (value) => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}
