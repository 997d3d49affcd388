import { setTimeout as delay } from 'node:timers/promises';
import { callForJson } from './call.mjs';

const PAGE = 200;
const LIMIT_MS = 180_000;
const POLL_MS = 500;

/** What has to be approved before it runs. */
const ASK = { scope: 'global', decision: 'ask', matcher: { type: 'tool', pattern: 'calculator' } };

/** From now on somebody is asked about each call of the calculator. */
export function askAboutCalls(port) {
  return callForJson({ port, method: 'POST', path: '/permissions/rules', body: ASK });
}

/** All that waits for people, page by page: `onPage` gets the milliseconds that each took. */
export async function readInbox(port, { onPage } = {}) {
  const requests = [];
  let cursor = '';
  do {
    const path = `/requests?status=pending&limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const begun = performance.now();
    const page = await callForJson({ port, path });
    onPage?.(performance.now() - begun);
    requests.push(...page.items);
    cursor = page.next_cursor && encodeURIComponent(page.next_cursor);
  } while (cursor);
  return requests;
}

/** Throws when it takes too long; `what` says what they should have done. */
export async function until(isSo, what) {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not all interactions have ${what}.`);
    await delay(POLL_MS);
  }
}
