// Run a system's module in Node: node run.mjs MODULE CALLS, a file of JSON.
import { readFileSync } from "node:fs";
import { Machine, results } from "./machine.mjs";

const [module, calls] = process.argv.slice(2);
console.log(results(await Machine.load(readFileSync(module)), JSON.parse(readFileSync(calls))));
