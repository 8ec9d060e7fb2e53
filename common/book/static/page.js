// What the explorer and the warp view share.

export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export const number = (value, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export function say(text, wrong = false) {
  const line = document.querySelector(".explorer-says");
  line.textContent = text;
  line.classList.toggle("wrong", wrong);
}

// A place to drop files on, or to choose them, and the line below it for what is said. `take` gets what each of the
// files holds, and its name; `hint` says what such a file is.
export function dropBox(root, id, words, hint, take) {
  const accept = async (files) => {
    for (const file of files) {
      try {
        let data;
        try {
          data = JSON.parse(await file.text());
        } catch {
          throw new Error(`is not JSON; drop a file that ${hint}.`);
        }
        await take(data, file.name);
      } catch (error) {
        say(`${file.name} ${error.message}`, true);
      }
    }
  };
  const chooser = element("input", { type: "file", id, multiple: true, accept: ".json,application/json" });
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
  root.append(element("div", { className: "explorer-drop" }, element("label", { htmlFor: id }, words), chooser),
    element("p", { className: "explorer-says", role: "status" }));
}
