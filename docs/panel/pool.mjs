// Runs of a system's machines, in workers beside the page: it never waits for them.
export class Pool {
  constructor(system, module, source, count) {
    this.system = system;
    this.queue = [];
    this.done = new Map(); // by machine and seed what a run came to
    this.allMs = 0;
    this.worker = () => {
      const worker = new Worker(source);
      worker.postMessage({ module });
      return worker;
    };
    this.make = () => {
      const worker = this.worker();
      worker.onmessage = ({ data }) => this.#answered(worker, data);
      return worker;
    };
    this.jobs = new Map(); // by worker the key of the run that it is at; null while it loads
    for (let k = 0; k < count; k += 1) this.jobs.set(this.make(), null);
  }

  // Run what is not done yet, the first first; what was waiting and is not wanted is forgotten.
  want(runs, changed) {
    this.changed = changed;
    this.total = runs.length;
    this.queue = runs.filter(({ key }) => !this.done.has(key));
    this.#start();
  }

  get left() {
    return this.queue.length + [...this.jobs.values()].filter(Boolean).length;
  }

  get meanMs() {
    return this.allMs / (this.done.size || 1);
  }

  // Stop at once, runs at work too.
  cancel() {
    this.queue = [];
    for (const [worker, key] of this.jobs) {
      if (!key) continue;
      worker.terminate();
      this.jobs.delete(worker);
      this.jobs.set(this.make(), null);
    }
  }

  #start() {
    const busy = new Set(this.jobs.values());
    for (const [worker, key] of this.jobs) {
      if (key !== undefined) continue;
      const at = this.queue.findIndex((run) => !busy.has(run.key));
      if (at < 0) return;
      const [run] = this.queue.splice(at, 1);
      busy.add(run.key);
      this.jobs.set(worker, run.key);
      worker.postMessage({ given: run.given(), measures: this.system.measures });
    }
  }

  #answered(worker, data) {
    if (!data.ready) this.done.set(this.jobs.get(worker), data), this.allMs += data.ms;
    this.jobs.set(worker, undefined);
    this.#start();
    if (!data.ready) this.changed();
  }
}
