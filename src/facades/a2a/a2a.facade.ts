import type { Facade } from '../facade.js';
import { A2aModule } from './a2a.module.js';
import { faultOfProblem, toRestError, toRpcError } from './errors.js';
import type { Problem } from '../../protocol/wire/problem.js';

const MIB = 1024 * 1024;
const CARD = '.well-known/agent-card.json';
/** The path of an agent alone. */
const RPC_PATH = /\/a2a\/[^/]+\/?$/i;

/** Agent2Agent 1.0, by JSON-RPC and as HTTP+JSON. */
export const A2A: Facade = {
  name: 'a2a',
  paths: ['/a2a/', `/${CARD}`],
  rules: {
    bodyLimit: 4 * MIB,
    bodyValues: 200_000,
    errorType: 'application/json',
    formatError: describe,
    paths: [
      ...['/a2a/{agent}', '/a2a/{agent}/message:send', '/a2a/{agent}/message:stream'],
      ...['/a2a/{agent}/tasks', '/a2a/{agent}/tasks/{id}', `/a2a/{agent}/${CARD}`],
    ],
  },
  module: A2aModule,
};

function describe(problem: Problem): string {
  const fault = faultOfProblem(problem);
  const isRpc = RPC_PATH.test(problem.instance);
  return JSON.stringify(isRpc ? toRpcError(fault) : toRestError(fault));
}
