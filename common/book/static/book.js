// What every page of the book does: a figure opens at full size, and what scrolls sideways can be reached
// with the keyboard.

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

linkFigures();
reachScrollers();
window.addEventListener("resize", reachScrollers);
