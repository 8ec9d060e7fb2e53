// Reading ladders: the small files of ./tutorial bench --share, and Google Benchmark's JSON by the rules of
// common/tools/reader/runs.py. Both become {gpu, cpu, chapters: Map(name -> {context, places, rows})}, where a
// row is {name, ladder, rung, type, kind, values}, and a value [GB/s, percent of copy or null, spread] or null.

const SUFFIX = /\/(?:iterations:\d+|repeats:\d+|min_time:[\d.]+s?|min_warmup_time:[\d.]+s?|threads:\d+|manual_time|real_time|process_time)$/;
const SHAPE = /^\d+(?:x\d+)*$/;
const KINDS = ["rung", "sweep", "yours", "peer", "copy", "bound"];
const TYPE = /^(?:bf|f|i|u|s)\d+/;

// The parts of a row's name, or null for another benchmark.
export function partsOf(name) {
  while (SUFFIX.test(name)) name = name.replace(SUFFIX, "");
  const parts = name.split("/");
  return parts.length === 4 && SHAPE.test(parts[2]) ? parts : null;
}

function positive(value) {
  const result = Number(value);
  return Number.isFinite(result) && result > 0 ? result : null;
}

// Of the repetitions of a row the one with the median time; a failed one wins, so that no failure is hidden.
function middle(rows) {
  const failed = rows.find((row) => row.error_occurred);
  if (failed) return failed;
  return [...rows].sort((a, b) => a.real_time - b.real_time)[Math.floor((rows.length - 1) / 2)];
}

function measurement(row) {
  const speed = positive(row.GBps);
  if (row.error_occurred || !speed) return null;
  return [speed, positive(row.copy_pct), positive(row.spread_pct) ?? 0];
}

function chapterOf(context, ladders, chapters) {
  const program = /(\d\d_\w+)_bench/.exec(String(context.executable ?? "").split("/").at(-1));
  if (chapters.some((chapter) => chapter.chapter === program?.[1])) return program[1];
  return chapters.find((chapter) => chapter.ladders.some((ladder) => ladders.has(ladder)))?.chapter;
}

function ofGoogle(data, name, chapters) {
  const groups = new Map();
  for (const row of data.benchmarks) {
    if ((row.run_type ?? "iteration") !== "iteration") continue;
    const parts = partsOf(String(row.name));
    if (!parts) continue;
    const key = parts.join("/");
    groups.set(key, { parts, rows: [...(groups.get(key)?.rows ?? []), row] });
  }
  if (!groups.size) {
    throw new Error("has no row named ladder/rung/size/regime; drop a chapter's benchmark result.");
  }
  const places = [...new Set([...groups.values()].map(({ parts }) => `${parts[2]}/${parts[3]}`))];
  const rows = new Map();
  for (const { parts: [ladder, rung, shape, regime], rows: repeated } of groups.values()) {
    const row = middle(repeated);
    const [type = "", kind = "rung"] = String(row.label ?? "").split(" ");
    const known = rows.get(`${ladder}/${rung}`) ?? { name: `${ladder}/${rung}`, ladder, rung, type: "", kind: "rung",
      values: places.map(() => null) };
    if (type) [known.type, known.kind] = [type, KINDS.includes(kind) ? kind : "rung"];
    known.values[places.indexOf(`${shape}/${regime}`)] = measurement(row);
    rows.set(known.name, known);
  }
  const cpu = String(data.context.backend ?? "").toLowerCase().startsWith("cpu");
  const chapter = chapterOf(data.context, new Set([...rows.values()].map((row) => row.ladder)), chapters);
  if (!chapter) throw new Error("is the run of no chapter of this book.");
  const entry = { context: data.context, places, rows: [...rows.values()] };
  return { gpu: cpu ? "CPU executor" : String(data.context.gpu || "an unnamed GPU"), cpu, chapters: new Map([[chapter, entry]]) };
}

const isMeasurement = (value) => value === null
  || (Array.isArray(value) && typeof value[0] === "number" && typeof value[2] === "number");

function ofLadders(data, known) {
  const chapters = new Map();
  for (const { chapter, context, places, rows } of data.chapters) {
    if (!context || !rows.every(([,, values]) => values.length === places.length && values.every(isMeasurement))) {
      throw new Error("a row is not one value a place");
    }
    if (known.some((other) => other.chapter === chapter)) chapters.set(chapter, { context, places, rows: rows.map(([name, label, values]) => {
      const [ladder, rung] = name.split("/");
      const [type, kind] = label.split(" ");
      return { name, ladder, rung, type, kind, values };
    }) });
  }
  if (!chapters.size) throw new Error("no chapter");
  return { gpu: String(data.gpu), cpu: false, chapters };
}

// A file's content as ladders; an Error whose message goes on behind the file's name if it holds none.
export function openFile(data, name, chapters) {
  if (data?.format === "elementwise-ladders") {
    if (data.version !== 1) throw new Error(`has version ${data.version} of the format; this book reads version 1.`);
    try {
      return ofLadders(data, chapters);
    } catch {
      throw new Error("is damaged; write it again with ./tutorial bench all --share.");
    }
  }
  if (!data?.context || typeof data.context !== "object" || !Array.isArray(data.benchmarks)
      || !data.benchmarks.every((row) => row && "name" in row)) {
    throw new Error("is no benchmark result; drop a file that ./tutorial bench wrote, as build/results/01_elu.cuda.json.");
  }
  return ofGoogle(data, name, chapters);
}

// ---------------------------------------------------------------------------------------------------------
// Operations: what a ladder's rungs compute, or the shapes that it broadcasts, read from the rungs' names

function formOf(row) {
  return new RegExp(`_${row.type}_(scalar|[0-9A-Z_]+)$`).exec(row.rung)?.[1];
}

function firstWord(row) {
  return row.rung.split("_")[0];
}

// Map(operation -> test of a row) of one ladder; a ladder of one operation has one, named "".
function operationsOf(ladder, rows) {
  const own = rows.filter((row) => row.ladder === ladder);
  const rungs = own.filter((row) => row.kind === "rung");
  const formed = rungs.map(formOf).filter(Boolean);
  const forms = new Set(formed);
  if (2 * formed.length > rungs.length) {
    return new Map([...forms].map((form) => [form, (row) => row.ladder === ladder && formOf(row) === form]));
  }
  const words = new Set(rungs.map(firstWord));
  if (words.size < 2 || [...words].some((word) => TYPE.test(word))) return new Map([["", (row) => row.ladder === ladder]]);
  return new Map([...words].map((word) => [word, (row) => row.ladder === ladder
    && (firstWord(row) === word || (!words.has(firstWord(row)) && row.kind !== "rung"))]));
}

// [[value, text]] of a chapter's operations.
export function operations(entry) {
  const ladders = [...new Set(entry.rows.map((row) => row.ladder))];
  return ladders.flatMap((ladder) => [...operationsOf(ladder, entry.rows).keys()].map((op) => {
    const text = op ? (ladders.length > 1 ? `${ladder.replaceAll("_", " ")}: ${op.replaceAll("_", " ")}` : op) : ladder;
    return [op ? `${ladder}.${op}` : ladder, text.replaceAll("_", " ")];
  }));
}

export function rowsOf(entry, operation) {
  const [ladder, op = ""] = operation.split(".");
  const test = operationsOf(ladder, entry.rows).get(op);
  return test ? entry.rows.filter(test) : [];
}
