// Keeps the console's own assets, whose names have a hash of their content. All else, the page and
// everything that people said above all, comes from the server each time.
const CACHE = 'assets';
const MOST = 100;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const assets = new URL('assets/', self.registration.scope).href;
  if (method === 'GET' && url.startsWith(assets)) event.respondWith(answer(event.request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) {
    await cache.put(request, response.clone());
    const keys = await cache.keys();
    await Promise.all(keys.slice(0, -MOST).map((old) => cache.delete(old)));
  }
  return response;
}
