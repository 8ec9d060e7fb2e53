// The ladder explorer: bars of one ladder, lines over all sizes, the reader's own files. Everything that it
// draws comes from the JSON files beside the page or from a file that was dropped on it.

import { elements, openFile, operations, rowsOf } from "./ladders.js";
import { begin, choice, control, element, frame, json, number, say, sum, table, unique, writeAddress } from "./page.js";

const KINDS = ["rung", "yours", "sweep", "bound", "peer", "copy"];
const COLOURS = 4;
const state = { chapter: "", op: "", type: "", regime: "", size: "", y: "GBps", gpus: [], lines: [] };
const files = []; // {id, gpu, chapters: Map(chapter -> entry), own}
const loading = new Map();
let index = { chapters: [], files: [] };
let wantedRung = "";

// ---------------------------------------------------------------------------------------------------------
// Small things

function drawn(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const isGrey = (row) => row.kind === "copy" || row.kind === "peer";

// ---------------------------------------------------------------------------------------------------------
// What there is to choose

function entries() {
  return files.filter((file) => file.chapters.has(state.chapter));
}

function chosenFiles() {
  return entries().filter((file) => state.gpus.includes(file.id));
}

function recorded() {
  return entries().map((file) => file.chapters.get(state.chapter));
}

function ofChoice(entry) {
  return rowsOf(entry, state.op).filter((row) => row.type === state.type);
}

function choices() {
  const ops = [...new Map(recorded().flatMap(operations))];
  const types = unique(recorded().flatMap((entry) => rowsOf(entry, state.op)).filter((row) => !isGrey(row)).map((row) => row.type));
  const places = recorded().flatMap((entry) => ofChoice(entry).flatMap((row) => entry.places.filter((_, i) => row.values[i])));
  return {
    chapter: index.chapters.map((chapter) => [chapter.chapter, chapter.title]),
    op: ops,
    type: types.map((type) => [type, type]),
    regime: unique(places.map((place) => place.split("/")[1])).map((regime) => [regime, regime]),
    size: unique(places.filter((place) => place.endsWith(`/${state.regime}`)).map((place) => place.split("/")[0]))
      .sort((a, b) => elements(a) - elements(b)).map((size) => [size, size.replaceAll("x", " × ")]),
  };
}

// The largest of the sizes with the most rows.
function fullestSize(sizes) {
  const counts = sizes.map((size) => sum(recorded().map((entry) => {
    const place = entry.places.indexOf(`${size}/${state.regime}`);
    return ofChoice(entry).filter((row) => row.values[place]).length;
  })));
  return sizes[counts.lastIndexOf(Math.max(...counts))];
}

// The operation that has a rung of this name: a link below a figure knows no more.
function operationOf(rung, offered) {
  return offered.find((op) => recorded().some((entry) => rowsOf(entry, op)
    .some((row) => row.rung === rung && row.kind === "rung")));
}

// Each choice must be one of those there are; what was chosen stays where it can.
function settle() {
  const preferred = { type: "f16", regime: "cold" };
  for (const key of ["chapter", "op", "type", "regime", "size"]) {
    const offered = choices()[key].map(([value]) => value);
    if (offered.includes(state[key])) continue;
    if (key === "size") state.size = fullestSize(offered) ?? "";
    else if (key === "op") state.op = operationOf(wantedRung, offered) ?? offered[0] ?? "";
    else state[key] = offered.includes(preferred[key]) ? preferred[key] : offered[0] ?? "";
  }
  const known = entries().map((file) => file.id);
  state.gpus = state.gpus.filter((id) => known.includes(id));
  if (!state.gpus.length) state.gpus = entries().filter((file) => !file.added).map((file) => file.id);
  if (!state.gpus.length) state.gpus = known.slice(0, 1);
}

// ---------------------------------------------------------------------------------------------------------
// The address

const KEYS = ["chapter", "op", "type", "regime", "size", "y"];

function readAddress() {
  const query = new URLSearchParams(location.search);
  for (const key of KEYS) state[key] = query.get(key) ?? "";
  for (const key of ["gpus", "lines"]) state[key] = (query.get(key) ?? "").split(",").filter(Boolean);
  wantedRung = query.get("rung") ?? "";
  if (!["GBps", "copy"].includes(state.y)) state.y = "GBps";
}

// What a reader chooses is a step; what follows from it is not.
function tellAddress(step) {
  const query = new URLSearchParams();
  for (const key of KEYS) if (state[key]) query.set(key, state[key]);
  const hosted = state.gpus.filter((id) => !files.find((file) => file.id === id)?.own);
  if (hosted.length) query.set("gpus", hosted.join(","));
  if (state.lines.length) query.set("lines", state.lines.join(","));
  writeAddress(query, step);
}

// ---------------------------------------------------------------------------------------------------------
// Files

async function load(chapter) {
  const wanted = index.files.filter((file) => file.chapters.includes(chapter) && !loading.has(file.file));
  for (const file of wanted) loading.set(file.file, true);
  await Promise.all(wanted.map(async (file) => {
    const opened = openFile(await json(`ladders/${file.file}`), index.chapters);
    const known = files.find((other) => other.id === file.id && other.gpu === opened.gpu && !other.own);
    if (known) for (const [name, entry] of opened.chapters) known.chapters.set(name, entry);
    else files.push({ ...opened, id: file.id, added: file.added ?? false });
  }));
  const order = index.files.map((file) => file.id);
  files.sort((a, b) => Boolean(a.own) - Boolean(b.own) || order.indexOf(a.id) - order.indexOf(b.id));
}

async function take(data, name) {
  const opened = openFile(data, index.chapters);
  const id = `own${files.filter((other) => other.own).length + 1}`;
  files.push({ ...opened, id, own: name });
  const names = [...opened.chapters.keys()];
  if (!names.includes(state.chapter)) state.chapter = names[0];
  await load(state.chapter);
  state.gpus = unique([...state.gpus, id]);
  say(`${name}: ${opened.gpu}, drawn below.${opened.cpu ? " The CPU executor's times say nothing about a GPU." : ""}`);
  draw();
}

// ---------------------------------------------------------------------------------------------------------
// Bars

function valueAt(row, entry) {
  return row.values[entry.places.indexOf(`${state.size}/${state.regime}`)] ?? null;
}

// The copy of a ladder with two inputs may be another one than the yardstick of its rungs, which reads two arrays
// as well: it is left out.
function isAside(row, entry) {
  if (row.kind !== "copy" || !row.rung.startsWith("copy")) return false;
  const rung = ofChoice(entry).find((other) => other.kind === "rung" && valueAt(other, entry)?.[1]);
  const [speed, copy] = rung ? valueAt(rung, entry) : [];
  return Boolean(rung) && Math.abs(valueAt(row, entry)[0] / ((100 * speed) / copy) - 1) > 0.05;
}

// [{name, kind, cells: [{file, colour, value}]}] in the order of the ladder.
function bars() {
  const found = new Map();
  chosenFiles().forEach((file, colour) => {
    const entry = file.chapters.get(state.chapter);
    for (const row of ofChoice(entry)) {
      const value = valueAt(row, entry);
      if (!value || isAside(row, entry)) continue;
      if (!found.has(row.name)) found.set(row.name, { name: row.name, rung: row.rung, kind: row.kind, cells: [] });
      found.get(row.name).cells.push({ file, colour: colour % COLOURS, value });
    }
  });
  return [...found.values()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

function bar(row, cell, longest) {
  const [speed, copy] = cell.value;
  const place = (value) => `${Math.max(0.3, (100 * value) / longest)}%`;
  const series = isGrey(row) ? "p" : row.kind === "yours" ? 4 : cell.colour;
  const fill = element("span", { className: `fill ${row.kind} s${series} c${cell.colour}` });
  fill.style.width = place(speed);
  const track = element("span", { className: "track" }, fill);
  if (copy && row.kind !== "copy") {
    const mark = element("span", { className: "mark" });
    mark.style.left = place((100 * speed) / copy);
    track.append(mark);
  }
  return element("td", { className: "bar" }, track);
}

function drawBars() {
  const rows = bars();
  const several = chosenFiles().length > 1;
  const speeds = rows.flatMap((row) => row.cells.flatMap(({ value }) =>
    [value[0], value[1] && row.kind !== "copy" ? (100 * value[0]) / value[1] : 0]));
  const longest = Math.max(...speeds, 1);
  const lines = rows.flatMap((row) => row.cells.map((cell, i) => {
    const line = element("tr", { className: row.kind, "data-name": row.name, "data-gpu": cell.file.id });
    if (i === 0) {
      const button = element("button", { type: "button", title: "Draw it over all sizes", textContent: row.rung,
        "aria-pressed": state.lines.includes(row.name) });
      button.addEventListener("click", () => toggleLine(row.name));
      line.append(element("th", { scope: "row", rowSpan: row.cells.length }, button));
    }
    if (several) line.append(element("td", { className: "gpu" }, cell.file.label));
    const [speed, copy, spread] = cell.value;
    line.append(bar(row, cell, longest), ...[number(speed), copy ? `${number(copy, 1)} %` : "–", `${number(spread, 1)} %`].map(
      (text) => element("td", { className: "n" }, text)));
    return line;
  }));
  const heads = ["Rung", ...(several ? ["GPU"] : []), "", "GB/s", "% of copy", "Spread"];
  root.querySelector(".explorer-bars").replaceChildren(
    lines.length ? table("bars", heads, lines) : element("p", {}, "Nothing was recorded here."));
}

// ---------------------------------------------------------------------------------------------------------
// Lines

function toggleLine(name) {
  const shown = linesShown().map((row) => row.name);
  state.lines = shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name];
  draw(true);
  root.querySelector(`.bars tr[data-name="${CSS.escape(name)}"] button`)?.focus();
}

// The rungs that are drawn over all sizes: those chosen, else the first, the fastest and the copy.
function linesShown() {
  const rows = bars();
  const chosen = rows.filter((row) => state.lines.includes(row.name));
  if (chosen.length) return chosen;
  const rungs = rows.filter((row) => row.kind === "rung");
  const best = rungs.reduce((a, b) => (b.cells[0].value[0] > a.cells[0].value[0] ? b : a), rungs[0]);
  return unique([rungs[0], best, rows.find((row) => row.kind === "copy")]).filter(Boolean);
}

// The points of one rung on one GPU: the mean of the sizes that have as many elements.
function points(file, name) {
  const entry = file.chapters.get(state.chapter);
  const row = ofChoice(entry).find((candidate) => candidate.name === name);
  const found = new Map();
  entry.places.forEach((place, i) => {
    const [size, regime] = place.split("/");
    const value = row?.values[i]?.[state.y === "copy" ? 1 : 0];
    if (regime !== state.regime || !value) return;
    const n = elements(size);
    found.set(n, [...(found.get(n) ?? []), value]);
  });
  return [...found].sort((a, b) => a[0] - b[0]).map(([n, values]) => [n, sum(values) / values.length]);
}

function ticks(top) {
  const step = [1, 2, 5].flatMap((digit) => [-1, 0, 1, 2, 3, 4].map((power) => digit * 10 ** power))
    .sort((a, b) => a - b).find((candidate) => top / candidate <= 6) ?? top;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, i) => i * step);
}

function power(n) {
  const exponent = Math.log2(n);
  const digits = [...String(Math.round(exponent))].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  return Number.isInteger(exponent) ? `2${digits}` : `${number(n / 2 ** 20, 1)} Mi`;
}

function drawLines() {
  const wide = Math.max(340, Math.min(760, root.clientWidth));
  const [high, left, right, top, bottom] = [320, 48, 16, 24, 44];
  const rows = linesShown();
  const series = rows.flatMap((row, colour) => chosenFiles().map((file, dash) =>
    ({ row, file, colour: isGrey(row) ? "p" : colour % 8, dash, points: points(file, row.name) })))
    .filter((line) => line.points.length);
  const all = series.flatMap((line) => line.points);
  const holder = root.querySelector(".explorer-lines");
  if (!all.length) return holder.replaceChildren();
  const sizes = unique(all.map(([n]) => n)).sort((a, b) => a - b);
  const highest = Math.max(...all.map(([, value]) => value)) * 1.04;
  const [low, up] = [Math.log2(sizes[0]), Math.log2(sizes.at(-1))];
  const x = (n) => left + (up > low ? (Math.log2(n) - low) / (up - low) : 0.5) * (wide - left - right);
  const y = (value) => high - bottom - (value / highest) * (high - top - bottom);
  const unit = state.y === "copy" ? "percent of copy" : "GB/s";
  const picture = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img",
    "aria-label": `${unit} over the number of elements for ${rows.map((row) => row.rung).join(", ")}` });
  for (const tick of ticks(highest)) {
    picture.append(drawn("line", { x1: left, x2: wide - right, y1: y(tick), y2: y(tick), class: "grid" }),
      drawn("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, number(tick)));
  }
  let last = -100;
  for (const n of sizes) {
    if (x(n) - last < 52) continue;
    last = x(n);
    const anchor = wide - right - x(n) < 20 ? "end" : "middle";
    picture.append(drawn("text", { x: x(n), y: high - bottom + 18, "text-anchor": anchor }, power(n)));
  }
  picture.append(drawn("text", { x: (left + wide) / 2, y: high - 6, "text-anchor": "middle" },
    `elements, ${state.regime}`), drawn("text", { x: 6, y: 12 }, unit));
  for (const line of series) {
    const data = line.points.map(([n, value], i) => `${i ? "L" : "M"}${x(n).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    picture.append(drawn("path", { d: data, class: `line s${line.colour} d${line.dash % COLOURS}` }));
    for (const [n, value] of line.points) {
      picture.append(drawn("circle", { cx: x(n), cy: y(value), r: 3.5, class: `dot s${line.colour}` },
        drawn("title", {}, `${line.row.rung}, ${line.file.label}, ${number(n)} elements: ${number(value, 1)} ${unit}`)));
    }
  }
  const legend = element("ul", { className: "legend" }, ...series.map((line) => {
    const key = drawn("svg", { viewBox: "0 0 28 8", "aria-hidden": "true" },
      drawn("path", { d: "M1 4L27 4", class: `line s${line.colour} d${line.dash % COLOURS}` }));
    const words = chosenFiles().length > 1 ? `${line.row.rung}, ${line.file.label}` : line.row.rung;
    return element("li", {}, key, ` ${words}`);
  }));
  holder.replaceChildren(legend, picture);
}

// ---------------------------------------------------------------------------------------------------------
// The page

function select(key, label, options) {
  return choice(`explorer-${key}`, label, options, state[key], async ({ value }) => {
    state[key] = value;
    if (["chapter", "op", "type"].includes(key)) state.lines = [];
    await load(state.chapter);
    draw(true);
  });
}

function drawControls() {
  const offered = choices();
  const labels = { chapter: "Chapter", op: "Operation", type: "Type", regime: "Regime", size: "Size" };
  const lists = Object.entries(labels).filter(([key]) => key !== "op" || offered.op.length > 1)
    .map(([key, label]) => select(key, label, offered[key]));
  lists.push(select("y", "Lines in", [["GBps", "GB/s"], ["copy", "% of copy"]]));
  const gpus = element("fieldset", {}, element("legend", { textContent: "GPU" }), ...entries().map((file) => {
    const box = element("input", { type: "checkbox", checked: state.gpus.includes(file.id) });
    return control(`explorer-gpu-${file.id}`, file.label, box, () => {
      state.gpus = entries().map((other) => other.id)
        .filter((id) => (id === file.id ? box.checked : state.gpus.includes(id)));
      draw(true);
    });
  }));
  root.querySelector(".explorer-controls").replaceChildren(...lists, gpus);
}

function drawSources() {
  const lines = chosenFiles().map((file) => {
    const { context } = file.chapters.get(state.chapter);
    const parts = [file.label, context.cpu, context.driver && `driver ${context.driver}`, context.cuda && `CUDA ${context.cuda}`,
      context.commit && `commit ${context.commit}`, context.date && String(context.date).slice(0, 10)];
    return element("li", {}, parts.filter(Boolean).join(", "));
  });
  root.querySelector(".explorer-sources").replaceChildren(...lines);
}

// "H100" for "NVIDIA H100 80GB HBM3", unless another GPU here would have the same name.
function shortName(file) {
  const short = (gpu) => gpu.replace(/^NVIDIA /, "").replace(/ \d+GB\b.*$/, "");
  const alone = files.every((other) => other.gpu === file.gpu || short(other.gpu) !== short(file.gpu));
  return alone ? short(file.gpu) : file.gpu.replace(/^NVIDIA /, "");
}

function label() {
  for (const file of files) {
    const name = file.cpu ? "CPU executor" : shortName(file);
    file.label = file.own ? `${name} (${file.own})` : file.added ? `${name} (${file.id})` : name;
  }
}

function draw(step = false) {
  label();
  settle();
  drawControls();
  drawBars();
  drawLines();
  drawSources();
  tellAddress(step);
  root.dataset.ready = "yes";
}

const root = frame("explorer", "a benchmark result", "./tutorial bench wrote, as build/results/01_elu.cuda.json", take,
  ...["controls", "bars", "lines"].map((part) => element("div", { className: `explorer-${part}` })),
  element("ul", { className: "explorer-sources" }));
readAddress();
addEventListener("popstate", async () => {
  readAddress();
  await load(state.chapter);
  draw();
});
addEventListener("resize", () => root.dataset.ready && drawLines());
begin("ladders", async () => {
  index = await json("ladders/index.json");
  if (!index.chapters.some((chapter) => chapter.chapter === state.chapter)) state.chapter = index.chapters[0].chapter;
  await load(state.chapter);
  draw();
});
