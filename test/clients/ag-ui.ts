import * as client0 from 'ag-ui-client-0';
import * as client1 from 'ag-ui-client-1';
import { ProxiedCopilotRuntimeAgent } from '@copilotkit/core';

export const AG_UI_VERSIONS = ['0.0.59', '1.0.0'] as const;
export type AgUiClient = (typeof AG_UI_VERSIONS)[number];

export interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AgentMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'reasoning' | 'system';
  readonly content?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly subagentRunId?: string;
  readonly metadata?: { readonly parley: Readonly<Record<string, unknown>> };
}

export interface Interrupt {
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly subagentRunId?: string;
  readonly metadata: { readonly parley: Readonly<Record<string, unknown>> };
}

export type AgentEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

interface RunParameters {
  readonly runId?: string;
  readonly tools?: readonly object[];
  readonly context?: readonly object[];
  readonly forwardedProps?: object;
  readonly resume?: readonly ResumeEntry[];
}

interface Subscriber {
  onEvent?(params: { readonly event: AgentEvent }): void;
}

/** What the agents of all clients have in common. */
export interface RemoteAgent {
  readonly threadId: string;
  readonly messages: readonly AgentMessage[];
  readonly state: Readonly<Record<string, unknown>>;
  pendingInterrupts: readonly Interrupt[];
  addMessage(message: AgentMessage): void;
  setMessages(messages: readonly AgentMessage[]): void;
  runAgent(parameters?: RunParameters, subscriber?: Subscriber): Promise<unknown>;
  /** Of CopilotKit's only. */
  connectAgent(parameters?: RunParameters, subscriber?: Subscriber): Promise<unknown>;
  abortRun(): void;
}

/** `single`: all requests go to one path. */
export type CopilotKitTransport = 'rest' | 'single';

interface AgentOptions {
  readonly url: string;
  readonly threadId: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly initialMessages?: readonly AgentMessage[];
  readonly initialState?: unknown;
  /** Of CopilotKit's. */
  readonly transport?: CopilotKitTransport;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The parts of the packages that the tests use, typed alike. */
interface Sdk {
  readonly HttpAgent: new (options: AgentOptions) => RemoteAgent;
  readonly AbstractAgent: new (options: object) => RemoteAgent;
}

const SDKS = { '0.0.59': client0, '1.0.0': client1 } as unknown as Readonly<
  Record<AgUiClient, Sdk>
>;

export function openAgent(version: AgUiClient, { url, ...options }: AgentOptions): RemoteAgent {
  return new SDKS[version].HttpAgent({ url: `${url}/ag-ui/react`, ...options });
}

/** As pages of CopilotKit have it: it reads what the runtime is first. */
export function openCopilotKit({ url, ...options }: AgentOptions, agentId = 'react'): RemoteAgent {
  const runtimeUrl = `${url}/copilotkit`;
  return new ProxiedCopilotRuntimeAgent({
    ...{ runtimeUrl, agentId, runtimeMode: 'pending', ...options },
  } as unknown as ConstructorParameters<
    typeof ProxiedCopilotRuntimeAgent
  >[0]) as unknown as RemoteAgent;
}

/** Has the pipeline of the package read a run: schemas, verifier, reducer. */
export async function readRun(
  version: AgUiClient,
  events: readonly unknown[],
  initialMessages: readonly AgentMessage[] = [],
): Promise<RemoteAgent> {
  const sdk = SDKS[version];
  const { rxjs } = { rxjs: await import('rxjs') };
  class Played extends sdk.AbstractAgent {
    run(): unknown {
      return rxjs.from(events);
    }
  }
  const agent = new Played({ threadId: 'thread', initialMessages });
  await agent.runAgent();
  return agent;
}
