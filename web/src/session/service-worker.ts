/** For an installed console, which opens faster; pages over plain HTTP have none. */
export function keepAssets(): void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch(() => undefined);
}
