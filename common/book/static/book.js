// What every page of the book does: a figure opens at full size, what scrolls sideways can be reached with
// the keyboard, and exponents stand where they belong.

function openFigure(link) {
  const dialog = document.createElement("dialog");
  dialog.className = "figure";
  const picture = link.querySelector("img").cloneNode();
  dialog.setAttribute("aria-label", picture.alt);
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.append(close, picture);
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
      link = document.createElement("a");
      link.href = picture.src;
      picture.replaceWith(link);
      link.append(picture);
    }
    link.classList.add("figure");
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

linkFigures();
reachScrollers();
lowerExponents();
window.addEventListener("resize", reachScrollers);
