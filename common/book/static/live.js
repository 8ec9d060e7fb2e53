// Kernels that run in the page: launches of the module (common/live), as traces that the warp view draws, and the
// controls of a launch.

import { choice, control, element, number, table, unique } from "./page.js";

/// What the controls stand at before anybody has touched them; the offsets are bytes.
export const DEFAULTS = { n: 8192, threads: 128, x: 0, a_at: 0, b_at: 0, y: 0, number: "", width: 4, first: 1, second: 1, reverse: 0 };
const MOST = 65536;
const AT = { x: "x", a: "a_at", b: "b_at", y: "y" };
const WIDTHS = [2, 4, 8, 16];
let module = null;
let known = [];
const answers = new Map();

function ask(question) {
  module.ccall("tutorial_ask", null, ["string"], [question]);
  return JSON.parse(module.UTF8ToString(module.ccall("tutorial_answer", "number", [], [])));
}

/// Loads the module, once; throws where it cannot run.
export async function load() {
  if (module) return;
  if (typeof WebAssembly !== "object") throw new Error("no WebAssembly");
  const folder = new URL("live/", location.href);
  await new Promise((resolve, reject) => document.head.append(element("script", { src: `${folder}live.js`, onload: resolve,
    onerror: () => reject(new Error("the kernels were not found")) })));
  module = await window.TutorialLive({ locateFile: (name) => `${folder}${name}` });
  known = ask("list").rungs;
}

export const rungsOf = (chapter) => (module ? known.filter((rung) => rung.chapter === chapter) : []);

const one = (chapter, name) => rungsOf(chapter).find((rung) => rung.rung === name);

/// The launch of a rung as the controls say.
export function run(chapter, name, state) {
  const rung = one(chapter, name);
  if (!rung) return undefined;
  const words = ["n", "threads", "width", "first", "second", "reverse"].map((key) => `${key}=${state[key]}`);
  words.push(...rung.arrays.map((array) => `${array}=${state[AT[array]]}`));
  if (state.number !== "") words.push(`warp=${state.number}`);
  const question = [chapter, name, ...words].join(" ");
  if (!answers.has(question)) {
    if (answers.size > 50) answers.clear();
    const sums = rung.controls.includes("barriers");
    answers.set(question, { ...ask(question), shape: sums ? "256 threads, two sums" : `${number(Number(state.n))} elements` });
  }
  return answers.get(question);
}

// ---------------------------------------------------------------------------------------------------------
// Controls

/// What the rungs of a view have: `names` of a chapter. `change(key, value)` takes what one is set to.
export function controls(chapter, names, state, change) {
  const rungs = names.map((name) => one(chapter, name)).filter(Boolean);
  const has = (control) => rungs.some((rung) => rung.controls.includes(control));
  const parts = [];
  const pick = (key, text, values) => choice(`live-${key}`, text, values.map((value) => [value, value]), state[key],
    ({ value }) => change(key, Number(value)));
  const set = (key, text, least) => control(`live-${key}`, text,
    element("input", { type: "number", min: least, max: MOST, value: state[key], inputMode: "numeric" }), ({ value }) =>
      change(key, value === "" ? DEFAULTS[key] : Math.min(MOST, Math.max(least, Math.round(Number(value)) || least))));
  if (rungs.some((rung) => !rung.controls.includes("barriers"))) {
    parts.push(set("n", "Elements", 1));
    if (has("threads")) parts.push(pick("threads", "Threads a block", [32, 64, 128, 256, 512, 1024]));
    for (const array of unique(rungs.flatMap((rung) => rung.arrays))) {
      parts.push(pick(AT[array], `${array} begins at byte`, [0, 2, 4, 8, 16]));
    }
    parts.push(set("number", "Warp (of the grid)", 0));
  }
  if (has("width")) {
    const slider = element("input", { type: "range", min: 0, max: WIDTHS.length - 1, value: WIDTHS.indexOf(Number(state.width)),
      "aria-valuetext": `${state.width} bytes` });
    parts.push(control("live-width", `A store of f16x8_stores: ${state.width} bytes`, slider, () => change("width", WIDTHS[slider.value])));
  }
  if (has("barriers")) {
    const texts = { first: "first barrier", second: "second barrier", reverse: "threads run from last to first" };
    parts.push(...Object.entries(texts).map(([key, text]) => control(`live-${key}`, text,
      element("input", { type: "checkbox", checked: Number(state[key]) === 1 }), ({ checked }) => change(key, Number(checked)))));
  }
  return element("fieldset", { className: "live" }, element("legend", {}, "This launch runs here, in your browser"), ...parts);
}

/// What a block's sum came to, warp by warp.
export function sums(rung) {
  if (!rung.sums) return [];
  const right = [256, 512];
  const rows = ["x", "2 x"].map((what, i) => element("tr", {}, element("th", { scope: "row" }, `sum of ${what}`),
    ...rung.sums.filter((_, k) => k % 2 === i).map((sum) => element("td", { className: sum === right[i] ? "" : "wrong" }, sum ?? "NaN"))));
  const wrong = rung.sums.filter((sum, k) => sum !== right[k % 2]).length;
  return [element("p", { role: "status" }, element("strong", {}, wrong ? `${wrong} of ${rung.sums.length} sums are wrong. ` : "All sums are right. "),
    rung.conflict ?? ""),
  table("warp-totals live-sums", ["right: 256 and 512", ...rung.sums.slice(rung.sums.length / 2).map((_, warp) => `warp ${warp}`)], rows)];
}
