const NAME = 'parley.reloaded-at';
/** A page whose code is still not there after this long was not upgraded, in milliseconds. */
const AGAIN_MS = 60_000;

/** Code of a page that was opened before the server was upgraded is not there any more. */
export function reloadAfterUpgrades(): void {
  addEventListener('vite:preloadError', (event) => {
    if (!navigator.onLine) return;
    const last = Number(sessionStorage.getItem(NAME));
    if (Date.now() - last < AGAIN_MS) return;
    sessionStorage.setItem(NAME, String(Date.now()));
    event.preventDefault();
    location.reload();
  });
}
