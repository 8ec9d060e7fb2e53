// What every page of the book does: a figure opens at full size, a word shows its definition, code can be copied,
// a prediction is compared, the place where one stopped is found again, and all of it without a mouse.

function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function openFigure(link) {
  const picture = link.querySelector("img").cloneNode();
  const close = element("button", { type: "button", textContent: "Close" });
  const dialog = element("dialog", { className: "figure", "aria-label": picture.alt }, close, picture);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function linkFigures() {
  for (const picture of document.querySelectorAll("article img")) {
    let link = picture.closest("a");
    if (!link) {
      link = element("a", { href: picture.src });
      picture.replaceWith(link);
      link.append(picture);
    }
    link.classList.add("figure");
    const tell = () => {
      picture.style.setProperty("--drawn", `${picture.naturalWidth}px`);
      picture.classList.toggle("wide", picture.naturalWidth > 500);
    };
    if (picture.complete) tell();
    else picture.addEventListener("load", tell);
    link.title = "Open at full size";
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openFigure(link);
    });
  }
}

function reachScrollers() {
  for (const part of document.querySelectorAll("article pre, article div")) {
    const scrolls = part.scrollWidth > part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX);
    if (scrolls) part.tabIndex = 0;
    else if (part.getAttribute("tabindex") === "0") part.removeAttribute("tabindex");
  }
}

// Where no font for formulas is installed, Chromium sets an exponent on top of its base; book.css lowers it.
function lowerExponents() {
  const probe = document.createElement("div");
  probe.style.cssText = "position: absolute; visibility: hidden";
  probe.innerHTML = "<math><msup><mn>1</mn><mn>1</mn></msup></math>";
  document.body.append(probe);
  const [base, exponent] = [...probe.querySelectorAll("mn")].map((part) => part.getBoundingClientRect());
  document.documentElement.classList.toggle("no-math-font", exponent.bottom < base.top + 1);
  probe.remove();
}

// ---------------------------------------------------------------------------------------------------------
// Words

// The definition of a word of the glossary: while the mouse or the focus is on it, and on a touch screen at the
// first tap, of which the second one follows the link.
function showDefinitions() {
  let shown = null;
  const hide = () => {
    shown?.link.removeAttribute("aria-describedby");
    shown?.box.remove();
    shown = null;
  };
  const show = (link) => {
    if (shown?.link === link) return;
    hide();
    const box = element("p", { className: "definition", id: "definition", role: "tooltip" }, link.dataset.definition);
    document.body.append(box);
    const at = link.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8));
    const above = at.bottom + box.offsetHeight + 8 > innerHeight && at.top > box.offsetHeight + 8;
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${(above ? at.top - box.offsetHeight - 4 : at.bottom + 4) + scrollY}px`;
    link.setAttribute("aria-describedby", "definition");
    shown = { link, box };
  };
  for (const link of document.querySelectorAll("a.term")) {
    link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show(link));
    link.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", hide);
    let touched = false;
    link.addEventListener("pointerdown", (event) => { touched = event.pointerType === "touch"; });
    link.addEventListener("click", (event) => {
      if (!touched || shown?.link === link) return;
      event.preventDefault();
      show(link);
    });
  }
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("pointerdown", (event) => shown && event.target !== shown.link && hide());
}

// ---------------------------------------------------------------------------------------------------------
// Code

function offerCopies() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll("article .highlight")) {
    const text = block.querySelector("pre");
    const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.innerText.replace(/\n$/, ""));
      button.dataset.done = "yes";
      button.textContent = "Copied";
      setTimeout(() => {
        delete button.dataset.done;
        button.textContent = "Copy";
      }, 2000);
    });
    block.append(button);
  }
}

// ---------------------------------------------------------------------------------------------------------
// Predict, then look

const numberIn = (text) => Number(/-?\d[\d,]*(?:\.\d+)?/.exec(text)?.[0].replaceAll(",", "") ?? NaN);

// How far a prediction is from the measurement.
function distance(said, is) {
  const ratio = said / is;
  if (Math.abs(ratio - 1) <= 0.05) return "within 5 %.";
  return ratio > 1 ? `${ratio.toFixed(1)} times too high.` : `${(1 / ratio).toFixed(1)} times too low.`;
}

// A fold that begins with "Look" holds a measurement, its first number in bold. Before it opens, it asks for yours.
function askForPredictions() {
  for (const fold of document.querySelectorAll("article details")) {
    const measured = fold.querySelector(":scope > p > strong");
    if (!/^Look\b/.test(fold.querySelector("summary").textContent.trim()) || !measured) continue;
    const unit = measured.textContent.replace(/^[-\d.,\s]+/, "").trim();
    const value = numberIn(measured.textContent);
    if (!Number.isFinite(value)) continue;
    const field = element("input", { type: "text", inputMode: "decimal" });
    const answer = element("span", { role: "status" });
    const form = element("form", { className: "predict" },
      element("label", {}, "Your prediction: ", field), element("span", {}, unit),
      element("button", { type: "submit", textContent: "Look" }), answer);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const said = numberIn(field.value);
      answer.textContent = Number.isFinite(said) && field.value.trim()
        ? `You said ${field.value.trim()}, measured ${measured.textContent}: ${distance(said, value)}` : "";
      fold.open = true;
    });
    fold.before(form);
  }
}

// ---------------------------------------------------------------------------------------------------------
// Tools on the page

// A link to the explorer or the warp view opens it here; a second press closes it.
function openViews() {
  for (const link of document.querySelectorAll("a.view")) {
    const button = element("button", { type: "button", textContent: link.textContent, "aria-expanded": "false" });
    let frame = null;
    button.addEventListener("click", () => {
      if (frame) {
        frame.remove();
        frame = null;
      } else {
        const address = new URL(link.href);
        address.searchParams.set("inside", "yes");
        frame = element("iframe", { className: "view", src: address.href, title: link.textContent });
        addEventListener("message", (event) => {
          if (event.source === frame?.contentWindow && event.origin === location.origin && event.data?.height > 0) {
            frame.style.height = `${event.data.height}px`;
          }
        });
        link.closest("p").after(frame);
      }
      button.setAttribute("aria-expanded", String(Boolean(frame)));
    });
    link.textContent = "alone";
    link.before(button, " ");
  }
}

// Such a page inside another one shows its tool alone, and says how high it is.
function standInside() {
  if (new URLSearchParams(location.search).get("inside") !== "yes" || parent === window) return;
  document.documentElement.classList.add("inside");
  const tool = document.querySelector("article");
  new ResizeObserver(() => parent.postMessage({ height: Math.ceil(tool.getBoundingClientRect().height) + 24 },
    location.origin)).observe(tool);
}

// ---------------------------------------------------------------------------------------------------------
// Reading in order

// The arrow keys lead to the page before and after, where no field or scrolling part has the focus.
function turnPages() {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, button, dialog, pre, [tabindex], summary")) return;
    const way = { ArrowLeft: ".prev-page", ArrowRight: ".next-page" }[event.key];
    if (way) document.querySelector(way)?.click();
  });
}

// The heading that a reader of a lesson had reached is kept in this browser, and offered at the next visit.
function rememberPlace() {
  if (!/\/\d\d_\w+\/[^/]*$/.test(location.pathname)) return;
  const key = `place:${location.pathname}`;
  const headings = [...document.querySelectorAll("article section[id] > :is(h2, h3)")];
  try {
    const section = document.getElementById(localStorage.getItem(key) ?? "");
    if (section && !location.hash) {
      const offer = element("p", { className: "resume" }, "You stopped at ",
        element("a", { href: `#${section.id}` }, section.querySelector("h2, h3").firstChild.textContent), ".");
      document.querySelector("article h1").after(offer);
    }
    addEventListener("scrollend" in window ? "scrollend" : "scroll", () => {
      const reached = headings.filter((heading) => heading.getBoundingClientRect().top < 150).at(-1);
      if (reached && reached !== headings[0]) localStorage.setItem(key, reached.parentElement.id);
    }, { passive: true });
  } catch {
    // A browser that keeps nothing offers nothing.
  }
}

// The sidebar's chevrons are labels of hidden boxes: with the keyboard they are buttons.
function reachChevrons() {
  for (const label of document.querySelectorAll(".sidebar-tree label[for]")) {
    const box = document.getElementById(label.htmlFor);
    const name = label.parentElement.querySelector("a")?.textContent ?? "";
    label.tabIndex = 0;
    label.setAttribute("role", "button");
    label.setAttribute("aria-label", `Pages under ${name}`);
    const tell = () => label.setAttribute("aria-expanded", String(box.checked));
    box.addEventListener("change", tell);
    label.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      label.click();
    });
    tell();
  }
}

// A notebook is for another program, not for the browser.
for (const link of document.querySelectorAll('a[href$=".ipynb"]')) link.download = "";
standInside();
linkFigures();
showDefinitions();
offerCopies();
askForPredictions();
openViews();
turnPages();
rememberPlace();
reachChevrons();
reachScrollers();
lowerExponents();
window.addEventListener("resize", reachScrollers);
