import { MessageAssembler } from '@langchain/langgraph-sdk';
import { MessageTupleManager } from '@langchain/langgraph-sdk/ui';

/** A message as a client has it in the end. */
export interface JoinedMessage {
  readonly id: string;
  readonly content: unknown;
  readonly calls: unknown;
}

interface Chunk {
  readonly content: unknown;
  readonly tool_calls?: unknown;
}

/** Adds up the parts of messages, as `useStream` of version 1 does. */
export function joinTuples(parts: readonly object[]): ReadonlyMap<string, JoinedMessage> {
  const manager = new MessageTupleManager();
  const ids = new Set<string>();
  for (const part of parts) {
    const id = manager.add(structuredClone(part) as never, {});
    if (id !== null) ids.add(id);
  }
  return new Map(
    [...ids].map((id) => {
      const { content, tool_calls: calls = [] } = manager.get(id)!.chunk as unknown as Chunk;
      return [id, { id, content, calls }];
    }),
  );
}

interface Placed {
  readonly key: string;
  readonly method: string;
  readonly namespace: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** The texts of the root's messages, from events of the streaming protocol, each of them once. */
export function assembleMessages(placed: readonly Placed[]): ReadonlyMap<string, string> {
  const assembler = new MessageAssembler();
  const texts = new Map<string, string>();
  for (const { method, namespace, data } of placed) {
    if (method !== 'messages' || namespace.length > 0) continue;
    const params = { namespace: [...namespace], timestamp: 0, data };
    const update = assembler.consume({ type: 'event', method, params } as never);
    if (!update) continue;
    const { id, blocks } = update.message;
    const said = blocks.map((block) => (block.type === 'text' ? block.text : ''));
    texts.set(id, said.join(''));
  }
  return texts;
}
