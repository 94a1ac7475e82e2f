import { placeBeside } from "./place.js";

const rest = 300; // milliseconds

/**
 * Says what a term means where the pointer rests, or the keyboard is, on an element with data-help. The
 * element is described by the same text for those who do not see it. Escape hides it.
 */
export function explainTerms() {
  const tip = document.querySelector("#tip");
  const termOf = (element) => element?.closest?.("[data-help]") ?? null;
  let shown = null; // the term that is explained
  let timer;
  const show = (term) => {
    clearTimeout(timer);
    shown = term;
    if (!term) {
      tip.hidePopover();
      return;
    }
    tip.showPopover();
    tip.textContent = document.querySelector(`#help-${term.dataset.help}`).textContent;
    placeBeside(tip, term);
  };
  document.addEventListener("pointerover", ({ target }) => {
    clearTimeout(timer);
    const term = termOf(target);
    if (term !== shown && target !== tip) timer = setTimeout(show, rest, term);
  });
  document.addEventListener("focusin", ({ target }) => {
    clearTimeout(timer);
    const term = target.matches(":focus-visible") ? termOf(target) : null;
    if (term !== shown) timer = setTimeout(show, 0, term); // a menu that closes gives the focus back before it is closed
  });
  for (const type of ["scroll", "resize"]) addEventListener(type, () => shown && placeBeside(tip, shown));
  document.addEventListener("keydown", ({ key }) => key === "Escape" && show(null));
  document.addEventListener("toggle", ({ target }) => target !== tip && show(null), true); // a menu opens
}
