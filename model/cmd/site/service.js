// Answers for the small files, from a cache with their version, so that the page opens without a network. The worker
// of the page keeps the program and the models in a cache of their own. The first lines, which are generated, set site.

const mine = `softsearch ${self.registration.scope} `; // other sites of this host have caches, too

self.addEventListener("install", (event) => event.waitUntil(install()));

/** Keeps all files of this version, or none: a host in the middle of an update gives some of another. */
async function install() {
  const fresh = Object.entries(site.small).map(async ([file, hash]) => {
    const request = new Request(file, { cache: "reload" });
    const answer = await fetch(request);
    const digest = await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer());
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (!answer.ok || hex !== hash) throw new Error(`${file} is not of version ${site.version}`);
    return [request, answer];
  });
  const files = await Promise.all(fresh);
  const cache = await caches.open(mine + site.version);
  await Promise.all(files.map(([request, answer]) => cache.put(request, answer)));
}

self.addEventListener("activate", (event) => event.waitUntil(clean().then(() => self.clients.claim())));

/** Removes what belongs to other versions. */
async function clean() {
  for (const name of await caches.keys()) {
    if (name.startsWith(mine) && name !== mine + site.version && name !== mine + "files") await caches.delete(name);
  }
  const files = await caches.open(mine + "files");
  const current = site.large.map((file) => new URL(file, self.registration.scope).href);
  for (const request of await files.keys()) {
    if (!current.includes(request.url)) await files.delete(request);
  }
}

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const kept = caches.open(mine + site.version).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((answer) => answer ?? fetch(event.request)));
});
