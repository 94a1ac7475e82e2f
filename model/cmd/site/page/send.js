// Requests are answered in this browser: a worker runs the program of the server as WebAssembly.

import { ApiError } from "./api.js";

const loading = document.querySelector("#loading");
const waiting = new Map(); // what the answer of each request calls, by its number
let requests = 0;
let worker;

/** Answers a request as fetch does. */
export async function send(path, { body, signal } = {}) {
  if (path === "v1/models") {
    const answer = await fetch("models.json", { signal });
    if (answer.ok) start().postMessage({ load: (await answer.clone().json()).default });
    return answer;
  }
  signal?.throwIfAborted();
  const id = ++requests;
  const { promise, resolve, reject } = Promise.withResolvers();
  let controller;
  const stream = new ReadableStream({ start: (c) => (controller = c), cancel });
  function cancel() {
    waiting.delete(id);
    signal?.removeEventListener("abort", abort);
    worker?.postMessage({ id, cancel: true });
  }
  function abort() {
    cancel();
    reject(signal.reason);
    controller.error(signal.reason);
  }
  waiting.set(id, {
    head: ([status, headers]) => resolve(new Response(stream, { status, headers })),
    chunk: (part) => controller.enqueue(part),
    end: () => {
      waiting.delete(id);
      signal?.removeEventListener("abort", abort);
      controller.close();
    },
    failure: (message) => {
      waiting.delete(id);
      reject(new ApiError(message, 501));
      controller.error(new ApiError(message, 501));
    },
  });
  signal?.addEventListener("abort", abort);
  start().postMessage({ id, path, body });
  return promise;
}

/** Returns the worker, which it starts unless one runs. */
function start() {
  if (worker) return worker;
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") {
    throw new ApiError("This browser lacks WebAssembly, or has it switched off; this page needs it to translate", 501);
  }
  worker = new Worker("page/worker.js", { type: "module" });
  worker.onmessage = ({ data: { id, progress, ended, ...event } }) => {
    if (progress) showProgress(progress);
    if (ended) end(ended);
    for (const [name, value] of Object.entries(event)) waiting.get(id)?.[name](value);
  };
  worker.onerror = (event) => end(event.message || "The program cannot be loaded");
  return worker;
}

/** Ends the worker and what it answers. The next request starts another. */
function end(message) {
  worker.terminate();
  worker = undefined;
  loading.hidden = true;
  for (const { failure } of [...waiting.values()]) failure(message);
}

function showProgress({ loaded, total, done }) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  loading.hidden = done;
  Object.assign(loading.querySelector("progress"), { max: total, value: loaded });
  loading.querySelector("span").textContent =
    loaded < total ? `Loading ${megabytes(loaded)} of ${megabytes(total)} MB` : "Starting";
}

navigator.serviceWorker?.register("service.js").catch(() => {}); // the page works without
