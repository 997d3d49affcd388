import type { CheckResult } from './check-model.js';

const WIDTH = 18;

/** A result as lines of the table. */
export function formatResult(result: CheckResult): string {
  const { check, state, detail, duration_ms, notices } = result;
  const seconds = `${(duration_ms / 1000).toFixed(1)} s`;
  const head = `${check.padEnd(WIDTH)}${state.padEnd(7)}${seconds.padStart(8)}  ${oneLine(detail)}`;
  return [head, ...notices.map((notice) => `${' '.repeat(WIDTH + 17)}(${oneLine(notice)})`)].join(
    '\n',
  );
}

/** The text of a model or an endpoint, so that it can't change the terminal or the table. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
