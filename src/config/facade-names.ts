/** Protocols of others, each under paths of its own: docs/protocols.md. */
export const FACADE_NAMES = ['openai', 'ai-sdk', 'ag-ui', 'langgraph', 'mcp', 'a2a'] as const;

export type FacadeName = (typeof FACADE_NAMES)[number];
