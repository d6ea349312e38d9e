// What a machine looks like: each system's scene, drawn anew from what a film shows of it.
const SVG = "http://www.w3.org/2000/svg";
const HUES = 8, TOKEN = 17, WIDE = 340;

class Scene {
  constructor(film, high) {
    this.film = film;
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${WIDE} ${high}`);
    this.svg.setAttribute("role", "img");
    this.bound = [];
  }

  // Draw an element; an attribute that is a function follows what is seen.
  add(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries({ ...attributes, ...(text === undefined ? {} : { text }) })) {
      if (typeof value === "function") this.bound.push({ made, key, value, last: undefined });
      else put(made, key, value);
    }
    this.svg.append(made);
    return made;
  }

  word(x, y, text, more = {}) {
    return this.add("text", { x, y, ...more }, text);
  }

  // A bar of so much of a whole; its number stands behind it.
  bar(x, y, label, value, most, wide = 90) {
    this.word(x, y + 9, label);
    this.add("rect", { x: x + 92, y, width: wide, height: 11, class: "hole" });
    this.add("rect", { x: x + 92, y, height: 11, class: "fill", width: (v) => wide * Math.min(1, value(v) / most) });
    this.word(x + 96 + wide, y + 9, (v) => `${value(v)}`);
  }

  // Boxes in which tokens stand: where(v, k) is the box of row k, or -1. Everybody sees a token's name.
  stations(count, boxes, where, named = (k) => `${k}`, plain = false) {
    for (const { x, y, w, h, label } of boxes) {
      this.add("rect", { x, y, width: w, height: h, class: "box", rx: 3 });
      this.word(x + 4, y + 12, label, { class: "label" });
    }
    const tokens = Array.from({ length: count }, (_, k) => {
      const token = this.add("g", { class: plain ? "token" : `token hue${k % HUES}` });
      for (const [name, attributes, text] of [["rect", { width: TOKEN - 2, height: 13, rx: 2 }], ["text", { x: (TOKEN - 2) / 2, y: 10, "text-anchor": "middle" }, named(k)]]) {
        const part = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes)) put(part, key, value);
        if (text !== undefined) part.textContent = text;
        token.append(part);
      }
      return token;
    });
    const standing = boxes.map(() => []);
    this.summary = () => boxes.map(({ label }, n) => `${label}: ${standing[n].map(named).join(", ") || "nobody"}`).join("; ");
    this.bound.push({ value: (v) => {
      for (const rows of standing) rows.length = 0;
      for (let k = 0; k < count; k += 1) {
        const box = where(v, k);
        if (box >= 0) standing[box].push(k);
        put(tokens[k], "display", box >= 0 ? "inline" : "none");
        tokens[k].classList.toggle("followed", named(k) === this.followed);
      }
      standing.forEach((rows, n) => {
        const { x, y, w, h } = boxes[n], across = Math.floor((w - 6) / TOKEN), down = Math.ceil(rows.length / across);
        const apart = Math.min(15, (h - 31) / Math.max(1, down - 1)); // they overlap if there is no room
        rows.forEach((k, rank) => put(tokens[k], "transform", `translate(${x + 4 + TOKEN * (rank % across)} ${y + 16 + apart * Math.floor(rank / across)})`));
      });
    } });
  }

  // A bar of all frames, of which each row holds some and has been promised some; a rest is behind them.
  shares(y, count, all, held, promised, rest) {
    this.add("rect", { x: 8, y, width: WIDE - 16, height: 22, class: "hole" });
    const wide = (pages) => ((WIDE - 16) * pages) / all, size = promised ?? held, at = new Float64Array(count + 1);
    this.bound.push({ value: (v) => { for (let k = 0; k < count; k += 1) at[k + 1] = at[k] + size(v, k); } });
    for (let k = 0; k < count; k += 1) {
      const x = () => 8 + wide(at[k]);
      this.add("rect", { x, y, height: 22, class: `allotted hue${k % HUES}`, width: (v) => wide(size(v, k)) });
      this.word(() => x() + 2, y + 9, `${k + 1}`, { class: "share", display: (v) => (wide(size(v, k)) > 15 ? "inline" : "none") });
      if (promised) this.add("rect", { x, y: y + 11, height: 11, class: `held hue${k % HUES}`, width: (v) => wide(Math.min(held(v, k), promised(v, k))) });
    }
    if (rest) this.add("rect", { y, height: 22, class: "rest", x: () => 8 + wide(at[count]), width: (v) => wide(Math.min(rest(v), all - at[count])) });
  }

  // What all rows of a field come to.
  total(name) {
    const [slot, count] = this.film.slots[name];
    return this.film.state.subarray(slot, slot + count).reduce((all, one) => all + one, 0);
  }

  // What has been counted since the film began.
  gained(name) {
    const [slot, count] = this.film.slots[name];
    return this.total(name) - this.film.kept[0].subarray(slot, slot + count).reduce((all, one) => all + one, 0);
  }

  draw() {
    const v = this.film.seen;
    for (const one of this.bound) {
      const now = one.value(v);
      if (one.made && now !== one.last) put(one.made, one.key, now), one.last = now;
    }
  }

  // Let a disc or a drum turn to where it is at a time.
  turn(ms) {
    for (const { made, period, x, y } of this.turning ?? []) put(made, "transform", `rotate(${(360 * (ms % period)) / period} ${x} ${y})`);
  }

  // How fast a drum turns, if it does; where it stands is not seen.
  drum(x, y, r, period) {
    if (!period) return;
    this.add("circle", { cx: x, cy: y, r, class: "box" });
    const made = this.add("path", { d: `M${x} ${y}v${-r}`, class: "hand" });
    (this.turning ??= []).push({ made, period, x, y });
    this.word(x, y + r + 13, `${period} ms a turn`, { "text-anchor": "middle" });
  }
}

function put(made, key, value) {
  if (key === "text") made.textContent = value;
  else made.setAttribute(key, value);
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

// UNIX: core as pieces and holes, the swap area, two drives with arm and queue, and who runs.
function unix_v6(film, films) {
  const scene = new Scene(film, 322), { settings } = film, clicks = settings.memory_clicks, { Channel, State, DriveState } = film.enums, USER = 2;
  const count = film.count("processes.state"), named = (k) => (k === 1 ? "u" : `${k - USER + 1}`), told = (k) => (k === 1 ? "/etc/update" : `process ${named(k)}`);
  const most = Math.max(...films.map((one) => one.settings.memory_clicks)), x = (address) => 8 + ((WIDE - 16) * address) / most;
  const gone = (v, k) => v("processes.state", k) === State.GONE, moves = (v, k) => v("kernel.swap_process") === k;
  const held = (v, k) => !gone(v, k) && (v("processes.loaded", k) || moves(v, k));
  const look = (v, k) => (v("kernel.running") === k ? "runs" : moves(v, k) ? "moves" : v("processes.state", k) === State.READY ? "ready" : "waits");
  scene.word(8, 14, `Core, ${clicks} clicks of 64 bytes`, { class: "head" });
  scene.add("rect", { x: 8, y: 20, width: x(clicks) - 8, height: 34, class: "hole" });
  for (let k = 1; k < count; k += 1) {
    const display = (v) => (held(v, k) ? "inline" : "none");
    scene.add("rect", { y: 20, height: 34, display, class: (v) => `piece ${look(v, k)}${scene.followed === named(k) ? " followed" : ""}`, x: (v) => x(v("processes.core_address", k)), width: (v) => x(v("processes.size_clicks", k)) - 9 });
    scene.word((v) => x(v("processes.core_address", k)) + 3, 40, named(k), { display });
  }
  const boxes = [["swapped out, would run", 8, 60, 158, 48], ["swapped out, waits", 174, 60, 158, 48]].map(([label, x, y, w, h]) => ({ label, x, y, w, h }));
  scene.stations(count, boxes, (v, k) => (k === 0 || gone(v, k) || held(v, k) ? -1 : v("processes.state", k) === State.READY ? 0 : 1), named, true);
  const at = (cylinder) => 60 + ((WIDE - 70) * cylinder) / settings.disc_cylinders;
  scene.word(8, 128, "Drives: the arm, and above it who waits where", { class: "head" });
  for (const d of [0, 1]) {
    const y = 154 + 36 * d;
    scene.word(8, y + 4, d === settings.swap_drive ? `${d} (swap)` : `${d} (files)`);
    scene.add("path", { d: `M60 ${y}H${WIDE - 10}`, class: "rail" });
    scene.add("path", { d: "M-5 8L5 8L0 0Z", class: (v) => (v("drives.state", d) === DriveState.IDLE ? "arm" : "arm busy"), transform: (v) => `translate(${at(v("drives.cylinder", d))} ${y + 2})` });
    for (let r = 0; r < film.count("requests.drive"); r += 1) {
      scene.add("rect", { y: y - 12, width: 4, height: 10, x: (v) => at(v("requests.cylinder", r)) - 2,
        class: (v) => (v("requests.buffer", r) < 0 ? "request moves" : "request"),
        display: (v) => (r < v("kernel.waiting") && v("requests.drive", r) === d ? "inline" : "none") });
    }
  }
  const runner = (v) => { const k = v("kernel.running"); return k < 0 ? "nobody" : k === 0 ? "the swap scheduler" : told(k); };
  scene.word(8, 228, (v) => `The processor runs ${runner(v)}`, { class: "head" });
  scene.bar(8, 240, "wait for a drive", (v) => v("kernel.waiting"), 12);
  scene.word(8, 272, () => `in this film: ${scene.gained("kernel.swaps_out")} swapped out, ${scene.gained("kernel.reads") + scene.gained("kernel.writes")} blocks of files moved`);
  scene.word(8, 290, () => `interactions begun in this film, by all users: ${scene.gained("processes.interaction")}`, { class: "head" });
  scene.told = each((name, k, before, now) => {
    const out = (one) => film.seen("processes.locked", one);
    if (name === "kernel.swap_process") return now >= 0 ? `${told(now)} is copied ${out(now) ? "out" : "in"}` : `${told(before)} is ${film.seen("processes.loaded", before) ? "in core" : "out"}`;
    if (name === "kernel.running" && now >= 0) return now ? `${told(now)} runs` : "the swap scheduler runs";
    if (name !== "processes.channel" || k === 0 || !now) return "";
    const what = { [Channel.LINE]: "its terminal to print", [Channel.FREE_BUFFER]: "a buffer", [Channel.PAUSE]: "its user" };
    return `${told(k)} waits for ${now >= Channel.BUFFER ? "the disc" : what[now] ?? "a swap"}`;
  });
  scene.legend = [["runs", "runs"], ["ready", "ready"], ["waits", "waits"], ["moves", "is copied in or out"], ["", `u: /etc/update. Ticks: who waits for a drive (orange: a swap). Triangle: the arm, blue at work.${settings.controllers === 1 ? " One controller serves one drive at a time." : ""}`]];
  scene.rule = "A process runs only in core, and there it lies in one piece.";
  return scene;
}

// Sentences of changes, one by one; a change without words isn't told.
function each(sentence) {
  return (changes) => changes.map((change) => sentence(...change)).filter(Boolean);
}

// SIM/61: who thinks, waits for core, is active; frames; the drum turning.
function sim61(film) {
  const scene = new Scene(film, 404), { p, settings } = film, { State } = film.enums, count = film.count("tasks.state");
  const boxes = [["think", 8, 24, 158, 116], ["wait for core", 174, 24, 158, 116], ["wait for a page", 8, 146, 102, 64], ["wait for a frame", 118, 146, 102, 64],
    ["ready", 228, 146, 104, 64], ["runs", 8, 216, 102, 32], ["wait for their disc", 118, 216, 214, 32]].map(([label, x, y, w, h]) => ({ label, x, y, w, h }));
  const box = { [State.THINKING]: 0, [State.DELAYED]: 0, [State.WAITING]: 1, [State.PAGING]: 2, [State.SHORT_OF_FRAMES]: 3, [State.READY]: 4, [State.RUNNING]: 5, [State.USER_IO]: 6 };
  scene.word(8, 14, "Tasks; from the second row on they have core", { class: "head" });
  scene.stations(count, boxes, (v, k) => box[v("tasks.state", k)], (k) => `${k + 1}`);
  scene.word(8, 264, "Page frames, by task; orange: to be written", { class: "head" });
  scene.shares(270, count, settings.frames, (v, k) => v("tasks.held_pages", k), undefined, () => scene.total("tasks.dirty_pages"));
  scene.bar(8, 298, "to be written", () => scene.total("tasks.dirty_pages"), settings.frames);
  scene.drum(300, 322, 18, settings.revolution_ms);
  const paging = film.count("devices.serving") - p.user_discs;
  for (let d = 0; d < Math.min(paging, 4); d += 1) scene.bar(8, 316 + 16 * d, `at drum ${d + 1}`, (v) => v("device_queues.length", 2 * d) + (v("devices.serving", d) >= 0), 15);
  scene.word(8, 388, () => `answers in this film: ${scene.gained("groups.responses")}; pages read: ${scene.gained("kernel.pages_in")}`, { class: "head" });
  scene.word(8, 402, () => `mean wait for a page: ${Math.round(scene.gained("kernel.page_wait_ms") / Math.max(1, scene.gained("kernel.pages_in")))} ms`);
  const words = { THINKING: "is answered and thinks", WAITING: "waits for core", PAGING: "waits for a page", SHORT_OF_FRAMES: "waits for a frame", RUNNING: "runs", USER_IO: "waits for its disc" };
  scene.told = states(film, "tasks.state", words, (k) => `task ${k + 1}`);
  scene.rule = `${paging} device${paging > 1 ? "s" : ""} for paging, ${p.memory_pages} pages of core; a task gets core if its working set fits into what is promised to nobody.`;
  scene.legend = [["", "A task's number and colour stand in its box and in its frames. Who waits for a page has asked a drum for it; who waits for a frame, not yet: pages left behind must be written out before."]];
  return scene;
}

// Sentences of rows whose state has changed; a state without words isn't told.
function states(film, field, words, named) {
  const byValue = Object.fromEntries(Object.entries(film.enums.State).map(([name, value]) => [value, words[name]]));
  return each((name, k, before, now) => (name === field && byValue[now] ? `${named(k)} ${byValue[now]}` : ""));
}

// CP-67: the clock face of frames with reference bits and the pointer, and the queues of users.
function cp67(film) {
  const scene = new Scene(film, 420), { State, Queue, Frame } = film.enums, frames = film.count("frames.owner"), [cx, cy, r] = [170, 124, 100];
  scene.rule = {
    1: "Algorithm 1 takes the next page whose user is in no queue, and simply the next if there is none.",
    2: "Algorithm 2 takes the next page whose reference bit is off, and turns off the bits that it passes.",
  }[film.p.algorithm];
  const queued = (v, u) => u >= 0 && v("users.queue", u) !== Queue.NONE;
  for (let f = 0; f < frames; f += 1) {
    scene.add("path", { d: `M${cx} ${cy - r}v20`, transform: `rotate(${(360 * f) / frames} ${cx} ${cy})`, "stroke-width": Math.min(8, (5 * r) / frames),
      class: (v) => {
        const state = v("frames.state", f);
        return state === Frame.FREE ? "page free" : `page ${queued(v, v("frames.owner", f)) ? "queued" : "unqueued"} ${state === Frame.HELD ? (v("frames.bit", f) ? "on" : "off") : "moves"}`;
      } });
  }
  scene.add("path", { d: `M${cx} ${cy}v${-(r - 40)}`, class: "hand", transform: (v) => `rotate(${(360 * v("kernel.pointer")) / frames} ${cx} ${cy})` });
  scene.word(8, 14, "The page frames", { class: "head" });
  scene.word(WIDE - 8, 14, (v) => `wait for the drum: ${v("drum_queue.length")}`, { "text-anchor": "end" });
  for (let f = 0; f < frames; f += Math.ceil(frames / 8)) {
    const turn = (2 * Math.PI * f) / frames;
    scene.word(cx + 73 * Math.sin(turn), cy - 73 * Math.cos(turn) + 4, `${f}`, { "text-anchor": "middle", class: "label" });
  }
  const boxes = [["in Q1", 8, 236, 158, 48], ["in Q2", 174, 236, 158, 48], ["candidates for Q2 or Q1", 8, 290, 158, 76], ["their users think", 174, 290, 158, 76]].map(([label, x, y, w, h]) => ({ label, x, y, w, h }));
  const where = (v, k) => {
    const state = v("users.state", k), queue = v("users.queue", k);
    if (state === State.THINKING) return 3;
    if (state === State.CANDIDATE) return 2;
    return state === State.AWAY || state === State.LEAVING ? -1 : queue === Queue.Q1 ? 0 : queue === Queue.Q2 ? 1 : -1;
  };
  scene.stations(film.count("users.state"), boxes, where, (k) => (k ? `${k}` : "D"), true);
  const named = (k) => (k ? `user ${k}` : "DUSETIMR");
  scene.word(8, 384, (v) => `The processor runs ${v("kernel.running") < 0 ? "nobody" : named(v("kernel.running"))}`, { class: "head" });
  scene.word(8, 400, () => `in this film: ${scene.gained("kernel.page_reads")} pages read, waited for ${seconds(scene.gained("kernel.page_wait_ms"))} in all`);
  scene.word(8, 416, () => `tasks done: ${scene.gained("kernel.tasks_ended")}`, { class: "head" });
  const words = { THINKING: "has done its task", CANDIDATE: "has used up its time in the queue: a candidate", PAGE_WAIT: "waits for a page", FRAME_WAIT: "waits for a frame", IO_WAIT: "waits for its disc", RUNNING: "runs" };
  const states_of = states(film, "users.state", words, named);
  // Why the pointer takes a page, by the algorithm.
  const why = (u) => (film.p.algorithm === 2 ? "its bit is off" : queued(film.seen, u) ? "all are of users in a queue" : "who is in no queue");
  scene.told = (changes) => {
    const moved = changes.some(([name]) => name === "kernel.pointer"), lines = [];
    const off = changes.filter(([name, f, , now]) => name === "frames.bit" && !now && film.seen("frames.state", f) === Frame.HELD);
    const owners = new Map(changes.filter(([name]) => name === "frames.owner").map(([, f, before]) => [f, before]));
    if (off.length && moved) lines.push(`the pointer passes ${off.length} page${off.length > 1 ? "s and turns their bits" : " and turns its bit"} off`);
    for (const [name, f, before, now] of changes) {
      if (name !== "frames.state" || now === Frame.HELD || now === Frame.FREE) continue;
      const owner = owners.get(f) ?? film.seen("frames.owner", f), first = now === Frame.WRITING ? "; it is written out first" : "";
      if (before === Frame.HELD) lines.push(`frame ${f} is taken from ${named(owner)} (${why(owner)})${first}`);
      if (now === Frame.READING) lines.push(`a page of ${named(film.seen("frames.owner", f))} is read into frame ${f}`);
    }
    if (off.length && !moved) lines.push(`${named(film.seen("frames.owner", off[0][1]))} leaves the queue: the bits of ${off.length} pages go off`);
    return [...lines, ...states_of(changes)];
  };
  scene.legend = [["queued on", "its user is in a queue, its bit is on"], ["queued off", "its bit is off"], ["unqueued off", "its user is in no queue, so its bit is off"],
    ["", "Nearly blank: free, or on its way. The line is the pointer, which goes clockwise. Q1 and Q2 are served; a candidate has used up its time there and waits for room. D: DUSETIMR, a program that measures."]];
  return scene;
}

// EMAS: a command's life from wake to sleep, allotments, the loader, the drum's sectors.
function emas(film) {
  const scene = new Scene(film, 400), { State, Queue } = film.enums, count = film.count("processes.state");
  const boxes = [["asleep", 8, 24, 324, 50], ["wait for core", 8, 80, 104, 66], ["are loaded", 118, 80, 104, 66], ["wait for a page", 228, 80, 104, 66],
    ["ready", 8, 152, 104, 50], ["runs", 118, 152, 104, 50], ["leave core", 228, 152, 104, 50]].map(([label, x, y, w, h]) => ({ label, x, y, w, h }));
  const box = { [State.ABSENT]: -1, [State.ASLEEP]: 0, [State.AWAITING_DRUM]: 1, [State.QUEUED]: 1, [State.PRELOADING]: 2, [State.SUSPENDED]: 2, [State.READY]: 4, [State.RUNNING]: 5, [State.PAGE_WAIT]: 3, [State.REMOVING]: 6 };
  scene.word(8, 14, "Processes, from waking to sleeping", { class: "head" });
  scene.stations(count, boxes, (v, k) => box[v("processes.state", k)], (k) => `${k + 1}`);
  scene.word(8, 220, "Core: allotted to each, and (dark) held", { class: "head" });
  scene.shares(226, count, film.p.frames + film.p.over_allocation_pages, (v, k) => v("processes.held_pages", k), (v, k) => v("processes.charge_pages", k));
  scene.drum(300, 282, 18, film.p.drum_revolution_ms);
  const sectors = film.count("drum_queues.length"), high = (v, s) => Math.min(34, 4 * v("drum_queues.length", s));
  scene.word(8, 266, "The drum: transfers that wait, by sector", { class: "head" });
  for (let s = 0; s < sectors; s += 1) scene.add("rect", { x: 8 + (s * 250) / sectors, width: 250 / sectors - 2, class: "fill", y: (v) => 308 - high(v, s), height: (v) => 1 + high(v, s) });
  scene.word(8, 330, (v) => `Wait for core, in core queues 1 to 5: ${[0, 1, 2, 3, 4].map((q) => v("queues.length", Queue.CORE_1 + q)).join(", ")}`);
  scene.bar(8, 342, "pages free", (v) => v("kernel.free_frames"), film.p.frames);
  scene.word(8, 374, (v) => `loaded now: ${v("kernel.preloading")} (at most ${film.p.preloads_at_once}); stays in core begun: ${scene.gained("kernel.residences")}`);
  scene.word(8, 392, () => `commands answered in this film: ${scene.gained("kernel.commands")}`, { class: "head" });
  scene.told = states(film, "processes.state", { ASLEEP: "sleeps", QUEUED: "waits for core", PRELOADING: "is loaded", SUSPENDED: "is loaded in part and waits for core", RUNNING: "runs", PAGE_WAIT: "waits for a page", REMOVING: "leaves core" }, (k) => `process ${k + 1}`);
  const { prepaging, preloads_at_once: most } = film.p;
  scene.rule = prepaging ? `The pages that a process used lately are fetched ahead, before it runs, for at most ${most} at once; others when they are touched.` : "Each page is fetched when it is touched, and the process waits for it.";
  scene.legend = [["", "A number and a colour stand for a process, in its box and in its share of core. Are loaded: their working sets are fetched. Wait for a page: for one that was asked for alone."]];
  return scene;
}

// TSS/360: the entrance, dispatchable tasks with their frames, lists of pages, drums.
function tss360(film) {
  const scene = new Scene(film, 400), { State } = film.enums, count = film.count("tasks.state"), all = film.settings.frames;
  const boxes = [["think or type", 8, 24, 158, 84], ["wait at the entrance", 174, 24, 158, 84], ["wait for a page", 8, 114, 104, 50], ["wait for data", 118, 114, 104, 50], ["ready or running", 228, 114, 104, 50]]
    .map(([label, x, y, w, h]) => ({ label, x, y, w, h }));
  const box = { [State.LOGGED_OFF]: -1, [State.INACTIVE]: 0, [State.TYPING]: 0, [State.ELIGIBLE]: 1, [State.PAGE_WAIT]: 2, [State.FRAME_WAIT]: 2, [State.DATA_WAIT]: 3, [State.READY]: 4, [State.RUNNING]: 4 };
  scene.word(8, 14, "Tasks; in the lower row they are dispatchable", { class: "head" });
  scene.stations(count, boxes, (v, k) => box[v("tasks.state", k)], (k) => `${k + 1}`);
  scene.word(8, 182, "Frames, by task; grey: sharable or available", { class: "head" });
  scene.shares(188, count, all, (v, k) => v("held.length", k));
  scene.bar(8, 220, "available", (v) => v("available.length"), all);
  scene.bar(8, 236, "estimate of free", (v) => v("kernel.estimate"), all);
  scene.bar(8, 252, "sharable", (v) => v("kernel.sharable_frames"), all);
  const drums = film.p.drums, devices = Math.min(film.count("devices.waiting"), 5);
  for (let d = 0; d < devices; d += 1) scene.bar(8, 272 + 16 * d, d < drums ? `queue, drum ${d + 1}` : d < drums + film.p.discs ? `paging disc ${d - drums + 1}` : `data disc ${d - drums - film.p.discs + 1}`, (v) => v("devices.waiting", d), 12);
  scene.drum(300, 290, 16, film.p.drum_revolution_ms);
  const tallied = (name) => scene.gained(`tallies.${name}`);
  scene.word(8, 374, () => `in this film: ${tallied("PAGE_FAULTS")} page faults, ${tallied("PRIVATE_RECLAIMS") + tallied("SHARABLE_RECLAIMS")} reclaims, ${tallied("TSE_SWAP_OUT")} swapped out`);
  scene.word(8, 392, () => `transactions done: ${tallied("TRANSACTIONS")}`, { class: "head" });
  scene.told = states(film, "tasks.state", { INACTIVE: "is answered", ELIGIBLE: "waits at the entrance", RUNNING: "runs", PAGE_WAIT: "waits for a page", FRAME_WAIT: "waits for a frame", DATA_WAIT: "waits for data" }, (k) => `task ${k + 1}`);
  scene.rule = film.p.schedule === "new" ? "The new schedule lets a task's first three slices go ahead of the others at the entrance." : "The old schedule lets only a task's first slice go ahead of the others at the entrance.";
  scene.legend = [["", "A task's number and colour stand in its box and in its frames. A task at the entrance has work, and no storage until its frames fit into the estimate."]];
  return scene;
}

const SCENES = { unix_v6, sim61, cp67, emas, tss360 };
export function sceneOf(film, films) {
  return SCENES[film.key](film, films);
}
