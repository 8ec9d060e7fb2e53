// What the explorer and the warp view share.

export const { element } = window; // of book.js, which every page runs before its module

export const number = (value, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const sum = (items) => items.reduce((all, one) => all + one, 0);

export const unique = (items) => [...new Set(items)];

export const json = async (path) => (await fetch(path)).json();

export function say(text, wrong = false) {
  const line = document.querySelector(".explorer-says");
  line.textContent = text;
  line.classList.toggle("wrong", wrong);
}

// A field with its label; it has the focus again when what it changes is drawn anew.
export function control(id, text, field, change) {
  field.id = id;
  field.addEventListener("change", async () => {
    await change(field);
    document.getElementById(id)?.focus();
  });
  return element("label", { htmlFor: id }, ...(field.type === "checkbox" ? [field, ` ${text}`] : [text, field]));
}

// A list of [[value, text]], of which one is chosen.
export function choice(id, text, options, chosen, change) {
  return control(id, text, element("select", {}, ...options.map(([value, textContent]) =>
    element("option", { value, textContent, selected: String(value) === String(chosen) }))), change);
}

export function table(className, heads, rows) {
  return element("table", { className }, element("thead", {}, element("tr", {}, ...heads.map((textContent) =>
    textContent ? element("th", { scope: "col", textContent }) : element("td")))), element("tbody", {}, ...rows));
}

// The address of the page follows what is chosen; a step is one that Back takes back.
export function writeAddress(query, step = false) {
  if (new URLSearchParams(location.search).has("inside")) query.set("inside", "yes");
  const address = `?${query.toString().replaceAll("%2C", ",")}`;
  if (address !== location.search) history[step ? "pushState" : "replaceState"](null, "", address);
}

// A tool, whose element has this name: a place to drop files on, or to choose them, the line below it for what is said,
// and its parts. `take` gets what each of the files holds, and its name; `hint` says what such a file is.
export function frame(name, what, hint, take, ...parts) {
  const root = document.getElementById(name);
  const accept = async (files) => {
    for (const file of files) {
      try {
        const data = await file.text().then(JSON.parse).catch(() => {
          throw new Error(`is not JSON; drop a file that ${hint}.`);
        });
        await take(data, file.name);
      } catch (error) {
        say(`${file.name} ${error.message}`, true);
      }
    }
  };
  const chooser = element("input", { type: "file", id: `${name}-file`, multiple: true, accept: ".json,application/json" });
  chooser.addEventListener("change", () => accept([...chooser.files]));
  addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("dragged");
  });
  addEventListener("dragleave", () => root.classList.remove("dragged"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("dragged");
    accept([...event.dataTransfer.files]);
  });
  const label = element("label", { htmlFor: chooser.id }, `Drop ${what} here, or choose one: `);
  root.replaceChildren(element("div", { className: "explorer-drop" }, label, chooser),
    element("p", { className: "explorer-says", role: "status" }), ...parts);
  return root;
}

// Reads and draws what was recorded, or says why not.
export async function begin(what, draw) {
  try {
    await draw();
  } catch (error) {
    say(`The recorded ${what} could not be read (${error.message}). A book that was opened as a file cannot read them: `
      + "use ./tutorial read or another web server.", true);
  }
}
