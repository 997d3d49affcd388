import { Session } from 'node:inspector';

/** Calls `describe-stall.ts`. */
const EXPRESSION = "globalThis[Symbol.for('parley.watchdog')]()";

/**
 * The work of the main thread, which V8 lets an inspector interrupt in loops and regular
 * expressions. Undefined if it does not answer in time, because it is not in JavaScript.
 */
export function askMainThread(time_ms, then) {
  const session = new Session();
  let isSettled = false;
  const settle = (answer) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    session.disconnect();
    then(answer);
  };
  const timer = setTimeout(settle, time_ms);
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: EXPRESSION }, (_, reply) => {
    const { value } = reply?.result ?? {};
    settle(typeof value === 'string' ? JSON.parse(value) : undefined);
  });
}
