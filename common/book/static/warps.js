// The warp view: one access of a warp at a time, lanes above, the sectors (or the banks of shared memory) that
// it touches below, for two rungs side by side. It draws what ./tutorial trace --json wrote.

import * as live from "./live.js";
import { begin, choice, element, frame, json, number, say, sum, table, unique, writeAddress } from "./page.js";

const SECTOR = 32;
const MOST_SECTORS = 64;
const state = { chapter: "", a: "", b: "", warp: "middle", step: 1, live: "", ...live.DEFAULTS };
const traces = new Map(); // chapter -> rungs
let index = [];
let sources = []; // the files that the book shows
let hasModule = false; // the kernels can run here

const product = (sizes) => sizes.reduce((all, one) => all * one, 1);
const many = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;

// ---------------------------------------------------------------------------------------------------------
// A trace

// The warp's accesses of all launches of a rung, in program order.
function requestsOf(rung) {
  return (rung?.launches ?? []).flatMap((launch) => launch[state.warp]?.requests ?? []);
}

// The steps of two rungs side by side, each a pair of indexes: a load stands beside a load and a store beside a
// store. The rung with fewer of a kind stays at its last one; null where it has none.
function steps(a, b) {
  const parts = (requests) => {
    const found = [];
    requests.forEach(({ operation, space }, i) => {
      const kind = `${operation} ${space}`;
      if (found.at(-1)?.kind === kind) found.at(-1).at.push(i);
      else found.push({ kind, at: [i] });
    });
    return found;
  };
  const [left, right] = [parts(a), parts(b)];
  const together = [];
  const add = (one, other) => {
    const long = Math.max(one?.at.length ?? 0, other?.at.length ?? 0);
    for (let i = 0; i < long; ++i) together.push([one, other].map((part) => part?.at[Math.min(i, part.at.length - 1)] ?? null));
  };
  while (left.length || right.length) {
    const [one, other] = [left[0], right[0]];
    if (one?.kind === other?.kind) add(left.shift(), right.shift());
    else if (one && !right.some((part) => part.kind === one.kind)) add(left.shift(), null);
    else if (other) add(null, right.shift());
    else add(left.shift(), null);
  }
  return together;
}

function warpWords(rung) {
  return rung.launches.filter((launch) => launch[state.warp]).map((launch) => {
    const warp = launch[state.warp];
    const blocks = product(launch.grid);
    return `${many(blocks, "block")} of ${number(product(launch.block))} threads; warp ${warp.warp} of block ${warp.block.slice(
      0, launch.grid.findLastIndex((size) => size > 1) + 1).join(", ") || 0}`;
  }).join("; then ");
}

const runsHere = () => state.live === "yes" && live.rungsOf(state.chapter).length > 0;

// How many sectors the warp's accesses of a kind ask for, and how many different ones these are.
function ofTheWarp(requests) {
  const kinds = ["load", "store"].map((operation) => {
    const asked = requests.filter((request) => request.space === "global" && request.operation === operation);
    const different = new Set(asked.flatMap((request) => lanesOf(request).flatMap(([, offset]) =>
      [offset, offset + request.bytes - 1].map((byte) => `${request.buffer} ${Math.floor(byte / SECTOR)}`))));
    return asked.length ? `its ${operation}s ask for ${many(sum(asked.map((request) => request.sectors)), "sector")}, ${different.size} different` : "";
  });
  return `This warp in all: ${kinds.filter(Boolean).join("; ")}.`;
}

// [operation, its counts] of a rung's loads and stores in global memory, of those that there are.
function totals(rung) {
  return ["load", "store"].flatMap((operation) => {
    const places = rung.launches.flatMap((launch) => launch.places)
      .filter((place) => place.space === "global" && place.operation === operation);
    const all = (key) => sum(places.map((place) => place[key]));
    return places.length ? [[operation, { requests: all("requests"), sectors: all("sectors"), used: all("used") }]] : [];
  });
}

function open(data) {
  if (!data || !Array.isArray(data.rungs) || !data.rungs.every((rung) => rung && typeof rung.rung === "string"
      && Array.isArray(rung.launches) && rung.launches.every((launch) => Array.isArray(launch.places)
        && Array.isArray(launch.grid) && ["middle", "last"].every((which) => !launch[which]
          || (Array.isArray(launch[which].requests) && launch[which].requests.every((request) =>
            Array.isArray(request.offsets) && request.bytes > 0)))))) {
    throw new Error("is no trace; drop a file that ./tutorial trace CHAPTER RUNG --json FILE wrote.");
  }
  return data.rungs;
}

// ---------------------------------------------------------------------------------------------------------
// The picture of an access

function lanesOf(request) {
  return request.offsets.flatMap((offset, lane) => (offset === null ? [] : [[lane, offset]]));
}

// byte -> lane, or -1 where several ask for it.
function owners(request) {
  const found = new Map();
  for (const [lane, offset] of lanesOf(request)) {
    for (let k = 0; k < request.bytes; ++k) found.set(offset + k, found.has(offset + k) ? -1 : lane);
  }
  return found;
}

const colour = (lane) => (lane < 0 ? "many" : `lane l${lane % 8}`);

function lanesPicture(request) {
  const lanes = request.offsets.map((offset, lane) => element("span", {
    className: offset === null ? "idle" : colour(lane), title: offset === null ? `lane ${lane}: idle`
      : `lane ${lane}: bytes ${offset} to ${offset + request.bytes - 1}`, textContent: String(lane) }));
  return element("div", { className: "warp-lanes", role: "img",
    "aria-label": `${lanesOf(request).length} of 32 lanes take part` }, ...lanes);
}

// What one lane asks for, none (undefined), or several (-1).
const cell = (lane) => element("span", { className: lane === undefined ? "unasked" : colour(lane),
  textContent: lane === undefined ? "" : lane < 0 ? "*" : String(lane) });

// A line per sector: its address, and a cell for every byte, in units of what a lane asks for.
function sectorsPicture(request) {
  const bytes = owners(request);
  const sectors = [...new Set([...bytes.keys()].map((byte) => Math.floor(byte / SECTOR)))].sort((a, b) => a - b);
  const shown = sectors.slice(0, MOST_SECTORS);
  const grid = element("div", { className: "warp-sectors", role: "img", "aria-label":
    `${sectors.length} sectors of ${SECTOR} bytes for ${bytes.size} bytes that are asked for` });
  for (const sector of shown) {
    const line = element("div", { className: "sector", title: `bytes ${sector * SECTOR} to ${sector * SECTOR + SECTOR - 1}` });
    for (let first = sector * SECTOR, end = first + SECTOR; first < end;) {
      const lane = bytes.get(first);
      let last = first;
      while (last + 1 < end && bytes.get(last + 1) === lane) ++last;
      line.append(cell(lane));
      line.lastChild.style.flexGrow = last - first + 1;
      first = last + 1;
    }
    grid.append(line);
  }
  if (sectors.length > shown.length) grid.append(element("p", {}, `and ${sectors.length - shown.length} sectors more`));
  return grid;
}

// The 32 banks; a line is a pass, and each pass serves one word of a bank. Wide accesses take their lanes in turns.
function banksPicture(request) {
  const together = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  const banks = Array.from({ length: 32 }, () => new Map());
  for (const [lane, offset] of lanesOf(request).filter(([lane]) => lane < together)) {
    for (let word = Math.floor(offset / 4); word <= Math.floor((offset + request.bytes - 1) / 4); ++word) {
      const asking = banks[word % 32].get(word) ?? new Set();
      banks[word % 32].set(word, asking.add(lane));
    }
  }
  const passes = Math.max(1, ...banks.map((bank) => bank.size));
  const grid = element("div", { className: "warp-banks", role: "img",
    "aria-label": `the 32 banks need ${passes} ${passes === 1 ? "pass" : "passes"}` });
  for (let pass = 0; pass < passes; ++pass) {
    grid.append(element("div", { className: "sector" }, ...banks.map((bank) => {
      const asking = [...([...bank.values()][pass] ?? [])];
      return cell(asking.length > 1 ? -1 : asking[0]);
    })));
  }
  if (together < 32) grid.append(element("p", {}, `The first ${together} lanes; the others take their turns like them.`));
  return grid;
}

function words(request) {
  const lanes = lanesOf(request).length;
  const what = `${request.operation} of ${many(request.bytes, "byte")} a lane, ${lanes === 32 ? "all lanes" : many(lanes, "lane")}`;
  if (request.space !== "global") {
    return `${what}, shared memory: ${request.ways > 1 ? `a conflict of ${request.ways} ways` : "no bank conflict"}`;
  }
  const moved = request.sectors * SECTOR;
  return `${what}, ${request.buffer}: ${many(request.sectors, "sector")}, ${number((100 * request.used) / moved)} % of the bytes moved `
    + "are asked for";
}

// ---------------------------------------------------------------------------------------------------------
// A rung

function column(rung, key, at, isAlone) {
  const requests = requestsOf(rung);
  const request = requests[at];
  const label = isAlone ? "Kernel" : key === "a" ? "Left" : "Right";
  const part = element("section", { className: "warp-rung" }, select(key, label, rungChoices()));
  if (rung?.refused) {
    part.append(element("p", { className: "warp-refused" }, `The launcher refuses: ${rung.refused}.`));
    return part;
  }
  part.append(...live.sums(rung ?? {}));
  if (!request) {
    part.append(element("p", {}, requests.length ? "It has no such access." : "This warp does nothing here. Choose another."));
    return part;
  }
  part.append(element("p", { className: "warp-where" }, `${rung.shape}; ${warpWords(rung)}`),
    element("p", { className: "warp-access" }, element("strong", {}, `Access ${at + 1} of ${requests.length}`), ...place(request.line)),
    element("p", {}, words(request)), lanesPicture(request),
    request.space === "global" ? sectorsPicture(request) : banksPicture(request));
  const rows = totals(rung).map(([operation, all]) => element("tr", {}, element("th", { scope: "row" }, `${operation}s`),
    ...[number(all.requests), number(all.sectors), number(all.sectors / all.requests, 2),
      `${number((100 * all.used) / (all.sectors * SECTOR))} %`].map((text) => element("td", {}, text))));
  part.append(element("p", { className: "warp-all" }, ofTheWarp(requests)),
    table("warp-totals", ["The whole launch", "requests", "sectors", "sectors a request", "asked for"], rows));
  return part;
}

// The line of the source that makes an access, where it is known.
function place(line) {
  if (!line) return [];
  const [file, row] = line.split(":");
  const text = line.split("/").at(-1);
  return [" · ", sources.includes(file) ? element("a", { href: `../../${file}.html#L${row}`, textContent: text }) : text];
}

function rungChoices() {
  return (runsHere() ? live.rungsOf(state.chapter) : traces.get(state.chapter) ?? []).map((rung) => [rung.rung, rung.rung]);
}

// ---------------------------------------------------------------------------------------------------------
// The page

function select(key, label, options) {
  return choice(`warps-${key}`, label, options, state[key], async ({ value }) => {
    state[key] = value;
    state.step = 1;
    await load(state.chapter);
    draw();
  });
}

function settle() {
  const names = rungChoices().map(([value]) => value);
  if (!names.includes(state.a)) state.a = names[0] ?? "";
  if (!names.includes(state.b)) state.b = names.at(-1) ?? "";
  if (!["middle", "last"].includes(state.warp)) state.warp = "middle";
  const most = Math.max(1, stepsShown().length);
  state.step = Math.min(Math.max(1, Number(state.step) || 1), most);
  return most;
}

const stepsShown = () => steps(...[state.a, state.b].map((name) => requestsOf(find(name))));

// Where a launch in a lesson begins: the stores are what it is about.
function firstStore() {
  settle();
  const stores = (name, at) => [requestsOf(find(name))[at]].some((request) => request?.operation === "store" && request.space === "global");
  return 1 + stepsShown().findIndex(([a, b]) => stores(state.a, a) || stores(state.b, b));
}

const find = (name) => runsHere() ? live.run(state.chapter, name, state) : traces.get(state.chapter)?.find((rung) => rung.rung === name);

function stepper(most) {
  const slider = element("input", { type: "range", id: "warps-step", min: 1, max: most, value: state.step, "aria-label": "access" });
  const back = element("button", { type: "button", id: "warps-back", textContent: "◀ Back", disabled: state.step <= 1 });
  const on = element("button", { type: "button", id: "warps-on", textContent: "Step ▶", disabled: state.step >= most });
  const move = (step) => {  // these three stay, so that the slider can be dragged and a button keeps the focus
    slider.value = state.step = Math.min(most, Math.max(1, step));
    drawRungs();
    const focused = document.activeElement;
    [back.disabled, on.disabled] = [state.step <= 1, state.step >= most];
    if (focused.disabled) slider.focus();
  };
  back.addEventListener("click", () => move(state.step - 1));
  on.addEventListener("click", () => move(state.step + 1));
  slider.addEventListener("input", () => move(Number(slider.value)));
  return element("div", { className: "warp-steps" }, back, slider, on);
}

function draw() {
  const most = settle();
  const names = [...traces.keys(), ...index.map((entry) => entry.chapter)];
  const chapters = unique(names).map((name) => [name, index.find((entry) => entry.chapter === name)?.title ?? name]);
  const controls = element("div", { className: "explorer-controls" }, select("chapter", "Chapter", chapters),
    select("warp", "Warp", [["middle", "one in the middle"], ["last", "the last that does anything"]]), stepper(most));
  root.querySelector(".warp-view").replaceChildren(controls, ...launch(), element("div", { className: "warp-rungs" }));
  drawRungs();
  root.dataset.ready = "yes";
}

// A button that runs the kernels here; then the launch's controls.
function launch() {
  if (!hasModule) return [];
  const button = element("button", { type: "button", id: "warps-live",
    textContent: state.live === "yes" ? "Back to the recorded launches" : "Run the kernels here" });
  button.addEventListener("click", async () => {
    state.live = state.live === "yes" ? "" : "yes";
    await startLive();
    draw();
    document.getElementById(button.id)?.focus();
  });
  const change = (key, value) => {
    state[key] = value;
    draw();
    tellLaunches();
  };
  const names = unique([state.a, state.b]);
  return [element("p", { className: "explore" }, button), ...(runsHere() ? [live.controls(state.chapter, names, state, change)] : [])];
}

// For those who do not see the pictures.
function tellLaunches() {
  say(unique([state.a, state.b]).map((name) => {
    const rung = find(name);
    const counts = totals(rung).map(([operation, all]) =>
      `${many(all.sectors, "sector")} ${operation === "load" ? "loaded" : "stored"}`);
    return `${name}: ${rung.refused ? `refused, ${rung.refused}` : rung.conflict ?? counts.join(", ")}`;
  }).join("; "));
}

async function startLive() {
  if (state.live !== "yes") return;
  try {
    await live.load();
  } catch (error) {
    state.live = "";
    say(`The kernels cannot run in this browser (${error.message}); what was recorded stands below.`, true);
  }
}

function drawRungs() {
  const [a, b] = stepsShown()[state.step - 1] ?? [null, null];
  const isAlone = state.a === state.b && Boolean(find(state.a)?.sums);  // a sum stands beside nothing
  root.querySelector(".warp-rungs").replaceChildren(column(find(state.a), "a", a, isAlone), ...(isAlone ? [] : [column(find(state.b), "b", b)]));
  writeAddress(new URLSearchParams(Object.entries(state).filter(([key, value]) =>
    key in live.DEFAULTS ? runsHere() && String(value) !== String(live.DEFAULTS[key])
      : value !== "" && !(key === "chapter" && state.chapter === "yours"))));
}

async function load(chapter) {
  if (traces.has(chapter) || !index.some((entry) => entry.chapter === chapter)) return;
  traces.set(chapter, open(await json(`traces/${chapter}.json`)));
}

async function take(data, file) {
  const rungs = open(data).map((rung) => ({ ...rung, rung: `${rung.rung} (${file})` }));
  if (!rungs.length) throw new Error("holds no rung.");
  const name = data.context?.chapter;
  if (index.some((entry) => entry.chapter === name)) {
    state.chapter = name;
    await load(name);
  } else if (!traces.has(state.chapter)) {
    state.chapter = "yours";
  }
  traces.set(state.chapter, [...(traces.get(state.chapter) ?? []), ...rungs]);
  [state.b, state.step] = [rungs[0].rung, 1];
  say(`${file}: drawn below.`);
  draw();
}

const root = frame("warps", "a trace", "./tutorial trace CHAPTER RUNG --json FILE wrote", take,
  element("div", { className: "warp-view" }));
const query = new URLSearchParams(location.search);
for (const key of Object.keys(state)) if (query.has(key)) state[key] = query.get(key);
await begin("traces", async () => {
  ({ chapters: index, sources, live: hasModule = false } = await json("traces/index.json"));
  if (!index.some((entry) => entry.chapter === state.chapter)) state.chapter = index[0]?.chapter ?? "";
  await load(state.chapter);
  if (!hasModule) state.live = "";
  await startLive();
  if (runsHere() && !query.has("step")) state.step = firstStore();
  if (state.chapter) draw();
  else say("No trace has been recorded yet; drop one of yours.");
});
root.dataset.ready = "yes";
