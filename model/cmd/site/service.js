// Answers for the small files, from a cache with their version, so that the page opens without a network. The worker
// of the page keeps the program and the models in a cache of their own. The first line, which is generated, sets site.

const mine = `softsearch ${self.registration.scope} `; // other sites of this host have caches, too

self.addEventListener("install", (event) => {
  const fresh = site.small.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(mine + site.version).then((cache) => cache.addAll(fresh)));
});

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
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((answer) => answer ?? fetch(event.request)));
});
