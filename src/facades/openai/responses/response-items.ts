/** Agents' own tools are those of an MCP server of this name. */
export const SERVER_LABEL = 'parley';

type Status = 'in_progress' | 'completed' | 'incomplete';

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly status: Status;
  readonly content: readonly OutputText[];
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly status: Status;
  readonly summary: readonly [];
  readonly content: readonly ReasoningText[];
}

export interface OutputText {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
}

export interface ReasoningText {
  readonly type: 'reasoning_text';
  readonly text: string;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: Status;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface McpCallItem {
  readonly id: string;
  readonly type: 'mcp_call';
  readonly status: 'completed' | 'failed';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly approval_request_id: string | null;
  readonly output: string | null;
  readonly error: string | null;
}

export interface ApprovalRequestItem {
  readonly id: string;
  readonly type: 'mcp_approval_request';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

export type OutputItem =
  MessageItem | ReasoningItem | FunctionCallItem | McpCallItem | ApprovalRequestItem;

export function outputText(text: string): OutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}
