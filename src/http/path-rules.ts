import type { ServerResponse } from 'node:http';
import type { Problem } from '../protocol/wire/problem.js';

/** Differs between the API and paths that speak the protocol of others. */
export interface PathRules {
  /** Bytes of a body, after decompression. */
  readonly bodyLimit: number;
  /** Values in a body: what walks them holds up everybody. */
  readonly bodyValues: number;
  /** The `Content-Type` of errors. */
  readonly errorType: string;
  /** The body of an error. */
  readonly formatError: (problem: Problem) => string;
  /** Paths that errors name to clients that miss them; none: those of `/docs`. */
  readonly paths?: readonly string[];
}

const API: PathRules = {
  bodyLimit: 1024 * 1024,
  bodyValues: 20_000,
  errorType: 'application/problem+json',
  formatError: (problem) => JSON.stringify(problem),
};

const others = new WeakMap<ServerResponse, PathRules>();

/** Called before anything can refuse the request. */
export function setRules(response: ServerResponse, rules: PathRules): void {
  others.set(response, rules);
}

/** The rules of a response; of the API unless others were set. */
export function rulesOf(response: ServerResponse): PathRules {
  return others.get(response) ?? API;
}
