import { A2A } from './a2a.js';
import { AG_UI } from './ag-ui.js';
import { AI_SDK } from './ai-sdk.js';
import { LANGGRAPH } from './langgraph.js';
import { MCP } from './mcp.js';
import { NATIVE } from './native.js';
import { CHAT_COMPLETIONS, RESPONSES } from './openai.js';
import type { Protocol } from './protocol-client.js';

export const PROTOCOLS: readonly Protocol[] = [
  ...[NATIVE, CHAT_COMPLETIONS, RESPONSES, AI_SDK, AG_UI, LANGGRAPH, MCP, A2A],
];
