import type { PathRules } from '../../http/path-rules.js';
import { formatRpcError } from './errors.js';
import type { RpcId } from './message.js';

const MIB = 1024 * 1024;

/** Rules of the path; its errors have the id of the request, once that is known. */
export function rulesFor(id: RpcId | null): PathRules {
  return {
    bodyLimit: 4 * MIB, // a message of a megabyte may be escaped
    bodyValues: 20_000,
    errorType: 'application/json',
    formatError: (problem) => formatRpcError(problem, id),
    paths: ['/mcp'],
  };
}
