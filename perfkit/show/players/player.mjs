// A player: films of one machine or two on one load, with their scenes, a clock and what happens in words.
const WHO = /\b(process|task|user) \d+/g, number = (who) => Number(who.match(/\d+/));
const SPEEDS = [0.01, 0.05, 0.2, 1, 5, 20], TOLD = 5;

class Player {
  constructor(root, films, titles) {
    Object.assign(this, { root, films });
    this.scenes = films.map((film) => sceneOf(film, films));
    this.lines = films.map((film, k) => told(film, this.scenes[k]));
    this.low = 1000 * Math.min(...films.map((film) => film.begin_s));
    this.high = 1000 * Math.max(...films.map((film) => film.end_s));
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.#build(titles);
    this.go(this.low);
  }

  #build(titles) {
    const made = (name, attributes, ...children) => {
      const one = Object.assign(document.createElement(name), attributes);
      one.append(...children);
      return one;
    };
    const button = (text, title, click) => made("button", { type: "button", textContent: text, title, onclick: click });
    this.play = button("play", "let time run, or pause (key k)", () => this.#toggle());
    this.clock = made("input", { type: "range", min: this.low, max: this.high, step: 1, oninput: () => this.go(Number(this.clock.value)) });
    this.clock.setAttribute("aria-label", "time");
    this.time = made("output", { className: "player-time" });
    this.speed = made("select", { onchange: () => { this.last = undefined; } }, ...SPEEDS.map((speed) => made("option", { value: speed, textContent: `${speed} × real time`, selected: speed === 0.2 })));
    this.speed.setAttribute("aria-label", "speed");
    const followed = [...new Set(this.lines.flat().flatMap(([, line]) => line.match(WHO) ?? []))].sort((one, other) => number(one) - number(other));
    this.follow = made("select", { onchange: () => this.#follow(this.follow.value) }, ...["everybody", ...followed].map((who) => made("option", { textContent: who })));
    this.follow.setAttribute("aria-label", "whom to follow");
    this.lists = titles.map(() => made("ol", { className: "player-told" }));
    for (const list of this.lists) list.setAttribute("role", "log");
    const parts = this.scenes.map((scene, k) => {
      return made("div", { className: "player-machine" }, made("h4", { textContent: titles[k] }), ...(scene.rule ? [made("p", { textContent: scene.rule })] : []),
        scene.svg, this.lists[k]);
    });
    const legend = this.scenes[0].legend.map(([look, word]) => made("span", { className: look ? `key ${look}` : "", textContent: word }));
    const one = this.films.length > 1 ? ["Both machines have had the same seed, and so the same load, since their runs began. Some seconds show how they work, not which is better."] : [];
    this.root.replaceChildren(made("div", { className: "player-controls" }, this.play, button("‹ event", "back to the event before (key ,)", () => this.#step(-1)),
      button("event ›", "on to the next event (key .)", () => this.#step(1)), this.speed, this.follow, this.time), this.clock, ...one.map((text) => made("p", { textContent: text })), made("div", { className: "player-machines" }, ...parts), made("p", { className: "player-legend" }, ...legend));
    const keys = { ".": () => this.#step(1), ",": () => this.#step(-1), k: () => this.#toggle() };
    this.root.onkeydown = ({ key }) => keys[key]?.();
    this.root.classList.add("live");
  }

  #toggle() {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "pause" : "play";
    this.last = undefined;
    if (this.playing && this.now >= this.high) this.go(this.low);
    if (this.playing) this.#tick();
  }

  // Mark one of all, and tell of nobody else.
  #follow(who) {
    this.who = who === "everybody" ? undefined : new RegExp(`\\b${who}\\b`);
    for (const scene of this.scenes) scene.followed = this.who && String(number(who));
    this.drawn = false;
    this.go(this.now);
  }

  // The lines of a machine: all, or those of whom one follows.
  #told(k) {
    return this.who ? this.lines[k].filter(([, line]) => this.who.test(line)) : this.lines[k];
  }

  // Let time stand still, for good: another player takes the place.
  stop() {
    this.playing = false;
  }

  // Let time run: at every frame, or in steps of a second for whoever asks for less motion.
  #tick() {
    if (!this.playing) return;
    const passed = (now) => {
      if (!this.playing) return;
      const past = this.last === undefined ? 0 : now - this.last;
      this.last = now;
      this.go(Math.min(this.now + past * Number(this.speed.value), this.high));
      if (this.now >= this.high) this.#toggle();
      else this.#tick();
    };
    if (this.still.matches) setTimeout(() => passed(performance.now()), 1000);
    else requestAnimationFrame(passed);
  }

  // Go to the next event of any machine that there is something to tell of, or to the one before.
  #step(by) {
    if (this.playing) this.#toggle();
    const times = this.lines.flatMap((_, k) => this.#told(k).map(([ms]) => ms)).filter((ms) => (by > 0 ? ms > this.now : ms < this.now));
    if (times.length) this.go(by > 0 ? Math.min(...times) : Math.max(...times));
  }

  go(ms) {
    this.now = ms;
    this.films.forEach((film, k) => {
      const from = film.at, scene = this.scenes[k];
      film.go(film.momentAt(ms));
      if (film.at === from && this.drawn) return;
      scene.draw();
      if (!this.playing) scene.svg.setAttribute("aria-label", scene.summary());
      const last = this.#told(k).filter(([at]) => at <= ms).slice(-TOLD).map(([at, line]) => `${(at / 1000).toFixed(3)} s: ${line}`);
      this.lists[k].replaceChildren(...last.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
    });
    if (!this.still.matches) for (const scene of this.scenes) scene.turn(ms);
    this.drawn = true;
    this.time.textContent = `${(ms / 1000).toFixed(3)} s`;
    this.clock.value = ms;
    this.clock.setAttribute("aria-valuetext", this.time.textContent);
  }
}

// Return what there is to tell of a film, with the times.
function told(film, scene) {
  const lines = [];
  film.go(film.times.length, (changes) => lines.push(...scene.told(changes).map((line) => [film.times[film.at - 1], line])));
  film.go(0);
  return lines;
}

// Fill a place with the player of films that are told as perfkit.show.players.page tells them.
export async function play(root, told) {
  const films = await Promise.all(told.map((one) => Film.of(one)));
  return new Player(root, films, told.map((one) => one.title));
}
