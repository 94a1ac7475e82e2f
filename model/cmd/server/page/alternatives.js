import { placeBeside } from "./place.js";
import { percent } from "./text.js";

/** A menu of the words that the model would have chosen instead of one. */
export class Alternatives {
  constructor(root) {
    this.root = root;
    this.list = root.querySelector("ol");
    this.form = root.querySelector("form");
    this.message = root.querySelector(".message");
    this.list.addEventListener("keydown", (event) => this.key(event));
    for (const type of ["scroll", "resize"]) {
      addEventListener(type, () => this.place());
      visualViewport.addEventListener(type, () => this.place());
    }
    root.addEventListener("toggle", (event) => {
      if (event.newState === "open") return;
      this.controller?.abort();
      this.anchor.ariaExpanded = "false";
    });
  }

  /**
   * Opens beside a word. load(signal) returns the alternatives; check(text, signal) throws unless
   * text can be forced; choose is called with {token} or {text}.
   */
  async open(anchor, current, { load, check, choose }) {
    this.controller?.abort();
    const { signal } = (this.controller = new AbortController());
    this.anchor = anchor;
    anchor.ariaExpanded = "true";
    this.list.replaceChildren();
    this.form.reset();
    this.say("Asking the model …");
    this.root.showPopover();
    this.place();
    this.form.onsubmit = async (event) => {
      event.preventDefault();
      const text = this.form.elements.word.value.trim();
      if (text && (await this.try(() => check(text, signal), signal))) this.close(() => choose({ text }));
    };
    const alternatives = await this.try(() => load(signal), signal);
    if (!alternatives) return;
    const items = alternatives.map((a) => newItem(a, a.word === current, () => this.close(() => choose({ token: a.token }))));
    this.list.replaceChildren(...items);
    this.place();
    this.list.querySelector("button")?.focus();
  }

  close(then) {
    this.root.hidePopover();
    then();
  }

  /** Returns the result of action, or undefined after an error, which the menu shows. */
  async try(action, signal) {
    try {
      const result = await action();
      this.say("");
      return signal.aborted ? undefined : result;
    } catch (error) {
      if (!signal.aborted) this.say(error.message);
      return undefined;
    }
  }

  say(message) {
    this.message.textContent = message;
    this.message.hidden = message === "";
  }

  place() {
    if (this.root.matches(":popover-open")) placeBeside(this.root, this.anchor);
  }

  key(event) {
    const buttons = [...this.list.querySelectorAll("button")];
    const to = buttons.indexOf(document.activeElement) + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? NaN);
    if (Number.isNaN(to)) return;
    event.preventDefault();
    (buttons[to] ?? this.form.elements.word).focus();
  }
}

function newItem({ word, logprob, text }, isCurrent, choose) {
  const item = document.createElement("li");
  const button = item.appendChild(document.createElement("button"));
  button.type = "button";
  button.onclick = choose;
  if (isCurrent) button.setAttribute("aria-current", "true");
  button.style.setProperty("--weight", Math.exp(logprob));
  button.append(part("choice", word || "end"), part("probability", percent(Math.exp(logprob))), part("rest", text));
  return item;
}

function part(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.dir = "auto";
  span.textContent = text;
  return span;
}
