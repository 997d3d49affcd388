import { Client } from '@langchain/langgraph-sdk';
import { StreamController } from '@langchain/langgraph-sdk/stream';
import { renderHook } from './langgraph-hook.mjs';

export interface ShownMessage {
  readonly id: string;
  readonly text: string;
  readonly type: string;
}

export interface Snapshot {
  readonly messages: readonly ShownMessage[];
  readonly interrupts: readonly { readonly id: string; readonly value: unknown }[];
  readonly isLoading: boolean;
  readonly isThreadLoading: boolean;
  readonly error: Error | undefined;
  readonly toolCalls: readonly { readonly name: string; readonly status: string }[];
}

/** What `useStream` is over: it shows the snapshots of this. */
export interface ThreadController {
  readonly rootStore: { getSnapshot(): Snapshot; subscribe(listener: () => void): () => void };
  readonly messageMetadataStore: {
    getSnapshot(): ReadonlyMap<string, { readonly parentCheckpointId?: string }>;
  };
  readonly hydrationPromise: Promise<void>;
  submit(input: object | null, options?: object): Promise<void>;
  respond(response: unknown, options?: object): Promise<void>;
  stop(): Promise<void>;
  dispose(): Promise<void>;
}

interface PageOptions {
  readonly url: string;
  readonly threadId: string | null;
}

/** With the newest SDK, without the hook. */
function openController({ url, threadId }: PageOptions): ThreadController {
  const apiUrl = `${url}/langgraph`;
  const client = new Client({ apiUrl, apiKey: null, callerOptions: { maxRetries: 0 } });
  const options = { assistantId: 'react', client, threadId };
  return new StreamController(options) as unknown as ThreadController;
}

/** With the hook, and the copy of the SDK that it brings. */
function openHook({ url, threadId }: PageOptions): ThreadController {
  const apiUrl = `${url}/langgraph`;
  const options = { assistantId: 'react', apiUrl, threadId, callerOptions: { maxRetries: 0 } };
  return renderHook(options) as ThreadController;
}

export const PAGES = {
  'the newest SDK': openController,
  'useStream of @langchain/react': openHook,
} as const;

export type PageName = keyof typeof PAGES;
