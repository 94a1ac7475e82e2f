// Loads the program and models when they are needed, and answers requests with them.

import "./wasm_exec.js";

const get = async (file) => {
  const answer = await fetch("../" + file);
  if (!answer.ok) throw new Error(`${file}: status ${answer.status}`);
  return answer;
};

const cacheName = `softsearch ${new URL("..", location)} files`; // which service.js cleans
const contents = get("site.json").then((answer) => answer.json());
const models = new Map(); // promises by name
const cancels = new Map(); // by the number of a request
let program;

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
function open(name) {
  if (!models.has(name)) models.set(name, load(name).catch((error) => (models.delete(name), Promise.reject(error))));
  return models.get(name);
}

async function load(name) {
  const site = await contents;
  const model = site.models.find((m) => m.name === name);
  const needed = program ? model.files : [site.program, ...model.files];
  const progress = { loaded: 0, total: needed.reduce((sum, { size }) => sum + size, 0), done: false };
  const add = (bytes) => {
    progress.loaded += bytes;
    postMessage({ progress });
  };
  add(0);
  try {
    program ??= start(site.program, add).catch((error) => ((program = undefined), Promise.reject(error)));
    const files = await Promise.all(model.files.map((file) => bytes(file, add)));
    await program;
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
  const plain = (await body(file, add)).pipeThrough(new DecompressionStream("gzip"));
  const wasm = new Response(plain, { headers: { "Content-Type": "application/wasm" } });
  const { instance } = await WebAssembly.instantiateStreaming(wasm, go.importObject);
  go.run(instance).then(() => postMessage({ ended: "The program has ended; it may lack memory" }));
}

const bytes = async (file, add) => new Uint8Array(await new Response(await body(file, add)).arrayBuffer());

/** Returns the stream of a file, which this browser keeps. add is called with the bytes of each part. */
async function body({ file }, add) {
  const url = new URL("../" + file, location).href;
  let answer = await self.caches?.match(url).catch(() => undefined); // storage may be blocked
  if (!answer) {
    answer = await get(file);
    const kept = answer.clone();
    self.caches?.open(cacheName).then((cache) => cache.put(url, kept)).catch(() => {}); // there may be no room
  }
  const count = new TransformStream({
    transform(part, controller) {
      add(part.length);
      controller.enqueue(part);
    },
  });
  return answer.body.pipeThrough(count);
}
