import { ApiError } from "./api.js";

const delays = [1, 2, 4, 8, 15]; // seconds before further attempts; the last one repeats

/** A line that says what failed, with a button to try again where that makes sense. */
export class Status {
  constructor(root) {
    this.root = root;
    this.message = root.querySelector(".message");
    this.button = root.querySelector("button");
  }

  get shown() {
    return !this.root.hidden;
  }

  clear() {
    this.root.hidden = true;
    this.message.textContent = "";
  }

  /** Says what failed, in a sentence. */
  show(message) {
    this.message.textContent = message.replace(/[.!?]?$/, ".");
    this.button.hidden = true;
    this.root.hidden = false;
  }

  /**
   * Runs action until it succeeds, fails for good or the signal is aborted. It returns the result, or
   * undefined after a failure that the line shows. After a temporary failure it waits as long as the
   * server asks, or longer after each.
   */
  async attempt(action, signal) {
    for (let failures = 0; ; failures++) {
      try {
        const result = await action();
        if (!signal.aborted) this.clear();
        return result;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof ApiError)) throw error;
        this.show(error.message);
        if (!error.temporary) return undefined;
        await this.pause(error.retryAfter || delays[Math.min(failures, delays.length - 1)], signal);
        if (signal.aborted) return undefined;
      }
    }
  }

  /** Waits for seconds, or until the user or the network says to try again. */
  pause(seconds, signal) {
    this.message.textContent += " Your text is kept, and the page keeps trying.";
    this.button.hidden = false;
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, 1000 * seconds);
    signal.addEventListener("abort", resolve, { once: true });
    window.addEventListener("online", resolve, { once: true });
    this.button.onclick = resolve;
    return promise.then(() => clearTimeout(timer));
  }
}
