import type { RequestHandler } from 'express';
import type { Config } from '../config/config.js';
import { setRules } from '../http/path-rules.js';
import type { Facade } from './facade.js';
import { A2A } from './a2a/a2a.facade.js';
import { AG_UI } from './ag-ui/ag-ui.facade.js';
import { AI_SDK } from './ai-sdk/ai-sdk.facade.js';
import { LANGGRAPH } from './langgraph/langgraph.facade.js';
import { MCP } from './mcp/mcp.facade.js';
import { OPENAI } from './openai/openai.facade.js';

/** In the order of the names in `FACADE_NAMES`. */
const ALL: readonly Facade[] = [OPENAI, AI_SDK, AG_UI, LANGGRAPH, MCP, A2A];

/** The façades that `FACADES` switches on. */
export function servedFacades({ facades }: Pick<Config, 'facades'>): readonly Facade[] {
  return ALL.filter(({ name }) => facades.includes(name));
}

/**
 * Express middleware: requests to a façade get its limits and the error shape of its protocol,
 * whatever refuses them. It goes before all that may refuse.
 */
export function facadeRules(config: Pick<Config, 'facades'>): RequestHandler {
  const served = servedFacades(config);
  return ({ path }, response, next) => {
    const found = served.find(({ paths }) => paths.some((each) => isOf(path, each)));
    if (found) setRules(response, found.rules);
    next();
  };
}

/** Matches like a route: in any case, with or without a final slash. */
function isOf(path: string, own: string): boolean {
  const sought = path.toLowerCase().replace(/\/?$/, '/');
  return own.endsWith('/') ? sought.startsWith(own) : sought === `${own}/`;
}
