// Watching: what the two machines of a panel do for some seconds, each filmed by a worker of its own.
const FILM_S = 20, LONGEST_FILM_S = 120;

class Watch {
  // pool makes workers; machines() returns the panel's two, or nothing while they are refused.
  constructor(root, system, pool, machines, named, beginS) {
    Object.assign(this, { system, pool, machines, named });
    const number = (label, value) => element("input", { value, size: 6, inputmode: "decimal", "aria-label": label });
    [this.begin, this.lasts] = [number("second at which the film begins", beginS), number("seconds that the film lasts", FILM_S)];
    this.said = element("span", { role: "status" });
    this.place = element("div", { class: "player" });
    root.append(element("p", { class: "panel-watch" }, element("button", { type: "button", onclick: () => this.#watch() }, "watch both machines"),
      " from second ", this.begin, " for ", this.lasts, " s ", this.said), this.place);
  }

  // Say that what plays is not what the panel shows, once that is turned.
  turned() {
    if (this.playing) this.said.textContent = "What plays below are the machines as they stood before you turned them.";
  }

  #seconds(input, most) {
    const number = NUMBER.test(input.value) ? Number(input.value) : NaN;
    if (number >= 0 && number <= most) return number;
    throw new Refusal(`${input.getAttribute("aria-label")} must be a number from 0 to ${most}; '${input.value}' is not.`);
  }

  async #watch() {
    const machines = this.machines();
    if (!machines) return;
    try {
      const begin = 1000 * this.#seconds(this.begin, 36000), lasts = 1000 * this.#seconds(this.lasts, LONGEST_FILM_S);
      this.said.textContent = "The machines run…";
      const films = await Promise.all(machines.map((machine) => this.#film(machine, begin, begin + lasts)));
      this.player?.stop();
      this.player = new Player(this.place, films, this.named());
      this.said.textContent = "";
      this.playing = true;
    } catch (refusal) {
      this.said.textContent = refusal.message;
    }
  }

  #film({ p, seed }, begin, latest) {
    const end = Math.min(latest, 1000 * endOf(this.system.key, p)); // a machine's tables have room for no more
    if (begin >= end) throw new Refusal("The run ends before that second; let the film begin sooner.");
    const worker = this.pool.worker();
    const answered = (done, refused) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) return void worker.postMessage({ given: this.system.given(p, seed, this.system.filmed(begin, end)), measures: this.system.measures });
        worker.terminate();
        if (!data.film?.times.length) return void refused(new Refusal("The run ends before that second; let the film begin sooner."));
        const { first, times, ends, changes } = data.film;
        return void done(new Film(this.system.told(p, begin, data.film), first, times, ends, changes));
      };
    };
    return new Promise(answered);
  }
}

// When a run ends, in s; that of unix_v6 ends with its workload.
function endOf(key, p) {
  return key === "unix_v6" ? Infinity : (p.settle_s ?? 0) + p.measured_s;
}
