import { largest, weightsOf } from "./alignment.js";
import { download } from "./export.js";
import { layout, png, print, svg } from "./figure.js";
import { HeatMap } from "./heatmap.js";
import { decimal } from "./text.js";
import { Tree } from "./tree.js";

const exportCell = 24; // pixels
const wideMap = 40; // source words, of a heat map that has nothing beside it

/** All that is known about one sentence of a pane: heat map, best translations, tree of the search. */
export class Details {
  /**
   * onFocus is called with a focus in the heat map, onChoose with the rank of a translation, and onTree with
   * whether the tree is open.
   */
  constructor(root, info, { onFocus, onChoose, onTree }) {
    this.root = root;
    this.find = (selector) => this.root.querySelector(selector);
    this.info = info;
    this.map = new HeatMap(this.find(".map .scroll"), onFocus);
    this.tree = new Tree(this.find(".tree"), {
      onChoose,
      onCaption: (text) => (this.find(".tree .caption").textContent = text),
    });
    this.find(".map").hidden = !info.alignments;
    this.find(".tree").addEventListener("toggle", () => onTree(this.find(".tree").open));
    this.find(".best").addEventListener("change", (event) => onChoose(Number(event.target.value)));
    this.find(".svg").onclick = () => this.save("svg");
    this.find(".png").onclick = () => this.save("png");
  }

  openTree(open) {
    this.find(".tree").open = open;
  }

  /** Shows what an item shows. */
  show({ alignment, result, chosen }) {
    this.alignment = alignment;
    this.root.classList.toggle("growing", result.growing);
    this.map.show(alignment, result.growing);
    this.find(".views").classList.toggle("wide", alignment.source.length > wideMap);
    if (result.growing) return;
    this.showBest(result.best, chosen);
    this.find(".tree").hidden = false;
    if (result.tree) this.tree.show(result.tree, result.best.indexOf(chosen), result.source);
  }

  showBest(best, chosen) {
    const scored = best.some(({ score, logprob }) => score !== logprob);
    this.find(".scored").hidden = !scored;
    const items = best.map((translation, rank) => {
      const item = document.querySelector("#translation").content.cloneNode(true).firstElementChild;
      const radio = item.querySelector("input");
      Object.assign(radio, { name: `best-${this.info.name}`, value: rank, checked: translation === chosen });
      item.querySelector(".text").textContent = translation.text;
      const score = scored ? `score ${decimal(translation.score)} · ` : "";
      item.querySelector(".score").textContent = `${score}log p ${decimal(translation.logprob)}`;
      return item;
    });
    const focused = this.find(".best ol :focus")?.value;
    this.find(".best ol").replaceChildren(...items);
    if (focused) this.find(`.best [value="${focused}"]`)?.focus();
  }

  /** Says where a word of an alignment looked. */
  describe({ source, target, weights }, { source: j, target: i }) {
    if (!this.info.alignments) return "This model has no attention: every word sees the whole sentence alike.";
    if (i !== undefined && j !== undefined) {
      return `“${target[i].text}” looked at “${source[j].text}” with weight ${decimal(weights[i][j])}`;
    }
    const side = i === undefined ? "source" : "target";
    const { text, pieces, unknown } = (side === "source" ? source : target)[i ?? j];
    const others = side === "source" ? target : source;
    const seen = largest(weightsOf(weights, side, i ?? j)).map((l) => `“${others[l.index].text}” ${decimal(l.weight)}`);
    const looked = side === "target" ? "looked at" : "is looked at by";
    const note = !unknown ? "" : side === "source" ? "; the model does not know the word" : "; the model has no word here";
    const parts = pieces.length > 1 ? ` (${pieces.join("·")})` : "";
    return `“${text}”${parts} ${looked} ${seen.join(", ") || "nothing much"}${note}`;
  }

  /** Saves the heat map as a file. */
  async save(format) {
    const figure = layout(this.alignment, exportCell);
    const blob = format === "svg" ? new Blob([svg(figure, print)], { type: "image/svg+xml" }) : await png(figure, print);
    download(blob, `alignment.${format}`);
  }
}
