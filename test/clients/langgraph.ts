import { Client } from '@langchain/langgraph-sdk';

/** A message in a state of a thread. */
export interface Said {
  readonly id: string;
  readonly type: 'human' | 'ai' | 'system' | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly { readonly name: string; readonly args: object }[];
}

type Interrupts = readonly { readonly id: string; readonly value: unknown }[];

export interface Values {
  readonly messages: readonly Said[];
  readonly __interrupt__?: Interrupts;
}

export interface Chunk {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** A client of LangGraph's API that does not try again what was refused. */
export function langGraphClient(
  url: string,
  options: { readonly apiKey?: string; readonly fetch?: typeof fetch } = {},
): Client {
  const { apiKey = null, fetch } = options;
  const callerOptions = { maxRetries: 0, ...(fetch && { fetch }) };
  return new Client({ apiUrl: `${url}/langgraph`, apiKey, callerOptions });
}

export async function collect(stream: AsyncIterable<unknown>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk as Chunk);
  return chunks;
}

/** The last state in a stream. */
export function valuesIn(chunks: readonly Chunk[]): Values {
  return chunks.findLast(({ event }) => event === 'values')!.data as Values;
}

/** The interrupts of a state. */
export function interruptsIn({ __interrupt__: interrupts = [] }: Values): Interrupts {
  return interrupts;
}
