import { decode } from "./link.js";

const name = "softsearch-history";
const most = 50;

/** The texts that were translated in this tab, the last one first, as a list to press. */
export class Visits {
  /** onOpen is called with the fragment of a visit. */
  constructor(root, onOpen) {
    this.root = root;
    this.onOpen = onOpen;
    this.list = read();
    root.querySelector(".controls button").onclick = () => this.set([]);
    this.draw();
  }

  /** Adds the fragment of an address, in place of one with the same text and first model. */
  add(fragment) {
    const key = keyOf(fragment);
    this.set([fragment, ...this.list.filter((other) => keyOf(other) !== key)].slice(0, most));
  }

  set(list) {
    this.list = list;
    try {
      sessionStorage.setItem(name, JSON.stringify(list));
    } catch {
      // The browser keeps nothing, or has no room: the list lasts as long as the page.
    }
    this.draw();
  }

  draw() {
    this.root.hidden = this.list.length === 0;
    const items = this.list.map((fragment) => {
      const { text, panes } = decode(fragment);
      const item = document.createElement("li");
      const button = item.appendChild(document.createElement("button"));
      button.type = "button";
      button.dir = "auto";
      button.textContent = text.trim();
      button.title = panes.map(({ model }) => model).join(", ");
      button.onclick = () => this.onOpen(fragment);
      return item;
    });
    this.root.querySelector("ol").replaceChildren(...items);
  }
}

function keyOf(fragment) {
  const { text, panes } = decode(fragment);
  return JSON.stringify([text.trim(), panes[0]?.model]);
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? [];
  } catch {
    return [];
  }
}
