import type { ToolServer } from './core/tool-source.js';
import type { ListedServer } from './listed-tools.js';

/** Without the reason for an outage: it has addresses, paths and commands in it. */
export function viewServer(server: ToolServer): ListedServer {
  if (server.state !== 'unavailable') return server;
  return { ...server, problem: 'It can’t be reached. The server’s log has the reason.' };
}

/** Without what is wrong with its tools, which is for operators. */
export function withoutProblem(server: ToolServer): ListedServer {
  return { ...server, problem: null };
}
