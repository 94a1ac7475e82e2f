// Loads the program and models when they are needed, and answers requests with them.

import "./wasm_exec.js";

const cacheName = `softsearch ${new URL("..", location)} files`; // which service.js cleans
const made = new Map(); // promises of once
const cancels = new Map(); // by the number of a request

/** Returns the promise of make, whose errors name the key. After an error, the next call makes another. */
function once(key, make) {
  const failed = (error) => {
    made.delete(key);
    throw new Error(`${key}: ${error.message}`);
  };
  if (!made.has(key)) made.set(key, make().catch(failed));
  return made.get(key);
}

self.onmessage = ({ data }) => {
  if (data.cancel) cancels.get(data.id)?.();
  else if (data.load) open(data.load).catch(() => {}); // the first request says what failed
  else answer(data);
};

async function answer({ id, path, body }) {
  let canceled = false;
  cancels.set(id, () => (canceled = true));
  try {
    const { model } = JSON.parse(body);
    await open(model);
    if (canceled) return;
    const { promise, resolve, reject } = Promise.withResolvers();
    const cancel = self.softsearch.answer(
      model, path, body,
      (status, headers) => postMessage({ id, head: [status, headers] }),
      (chunk) => postMessage({ id, chunk }, [chunk.buffer]),
      (error) => (error ? reject(new Error(error)) : resolve()),
    );
    cancels.set(id, cancel);
    await promise;
    postMessage({ id, end: true });
  } catch (error) {
    postMessage({ id, failure: error.message });
  } finally {
    cancels.delete(id);
  }
}

/** Opens a model, which the first request for it loads. */
const open = (name) => once(name, () => load(name));

async function load(name) {
  const site = await once("site.json", () => get("site.json").then((answer) => answer.json()));
  const model = site.models.find((m) => m.name === name);
  if (!model) throw new Error("is not in site.json");
  const needed = made.has(site.program.file) ? model.files : [site.program, ...model.files];
  const progress = { loaded: 0, total: needed.reduce((sum, { size }) => sum + size, 0), done: false };
  const add = (bytes) => {
    progress.loaded += bytes;
    postMessage({ progress });
  };
  add(0);
  try {
    const started = once(site.program.file, () => start(site.program, add));
    const [, ...files] = await Promise.all([started, ...model.files.map((file) => bytes(file, add))]);
    await new Promise((resolve, reject) =>
      self.softsearch.open(name, JSON.stringify(model), files, (error) => (error ? reject(new Error(error)) : resolve())),
    );
  } finally {
    postMessage({ progress: { ...progress, done: true } });
  }
}

/** Starts the program, which is compressed. */
async function start(file, add) {
  const go = new Go();
  const plain = new Blob([await bytes(file, add)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const wasm = new Response(plain, { headers: { "Content-Type": "application/wasm" } });
  const { instance } = await WebAssembly.instantiateStreaming(wasm, go.importObject);
  go.run(instance).then(() => postMessage({ ended: "The program has ended; it may lack memory" }));
}

/**
 * Returns the bytes of a file. This browser keeps them once they have the size and the hash of the file; what a
 * captive portal or a cut connection gives instead is asked for once more. add is called with how many arrived.
 */
async function bytes({ file, size, sha256 }, add) {
  const url = new URL("../" + file, location).href;
  const cache = await self.caches?.open(cacheName).catch(() => undefined); // storage may be blocked
  const sources = [() => cache?.match(url), () => get(file), () => get(file, { cache: "reload" })];
  for (const source of sources) {
    const answer = await source();
    if (!answer) continue;
    let length = 0;
    const count = new TransformStream({
      transform(part, controller) {
        length += part.length;
        add(part.length);
        controller.enqueue(part);
      },
    });
    const content = await new Response(answer.body.pipeThrough(count)).arrayBuffer().catch(() => undefined); // cut short
    if (length === size && (await isHash(content, sha256))) {
      if (source !== sources[0]) cache?.put(url, new Response(content)).catch(() => {}); // there may be no room
      return new Uint8Array(content);
    }
    add(-length);
    await cache?.delete(url);
  }
  throw new Error(`the host gives something else as ${file}`);
}

/** Compares a hash, which insecure contexts cannot compute; these keep nothing. */
async function isHash(content, hash) {
  if (!self.crypto.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === hash;
}

async function get(file, options) {
  const answer = await fetch("../" + file, options);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer;
}
