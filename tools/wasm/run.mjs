// Run a system's module in Node: node run.mjs MODULE CALLS, a file of JSON. It prints, as JSON,
// a list of why each call stopped, what it measured, its trace and the milliseconds that it took.
import { readFileSync } from "node:fs";
import { Machine } from "./machine.mjs";

const [module, calls] = process.argv.slice(2);
const machine = await Machine.load(readFileSync(module));
const told = JSON.parse(readFileSync(calls)).map((call) => {
  const start = performance.now();
  const { trace, ...found } = machine.run(call), ms = performance.now() - start;
  return { ...found, trace: Buffer.from(trace).toString("hex"), ms };
});
// Numbers that JSON has no name for are written as words.
const named = (_, value) => (Number.isFinite(value) || typeof value !== "number" ? value : String(value));
console.log(JSON.stringify(told, named));
