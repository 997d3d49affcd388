import type { ServerResponse } from 'node:http';
import type { Problem } from '../../protocol/wire/problem.js';

const problems = new WeakMap<ServerResponse, Problem>();

/** The problem that a response answered with, if any. */
export function problemOf(response: ServerResponse): Problem | undefined {
  return problems.get(response);
}

export function rememberProblem(response: ServerResponse, problem: Problem): void {
  problems.set(response, problem);
}
