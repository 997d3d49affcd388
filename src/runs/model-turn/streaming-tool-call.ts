import { isObjectText, objectText } from '../../kernel/json/bounded-json.js';
import { wellFormedJson } from '../../models/schema/json-text.js';
import type { RecordContent } from '../../persistence/rows/log-record.js';
import type { ToolCall } from '../../protocol/message.js';
import type { GuardedBlock } from './guarded-block.js';

/** Tool call of a model turn that is being streamed. */
export class StreamingToolCall {
  readonly name: string;

  /** `name`: as the model wrote it. */
  constructor(
    readonly id: string,
    name: string,
    readonly block: GuardedBlock,
  ) {
    this.name = usableToolName(name);
  }

  /** The call as the conversation contains it. */
  toToolCall(): ToolCall {
    const { id, name, block } = this;
    return { id, type: 'function', function: { name, arguments: asObject(block.text) } };
  }

  toRecord(): RecordContent<'TOOL_CALL'> {
    const { id, name: tool_name, block } = this;
    const call = { id, block_id: block.id, tool_name, tool_input: block.text };
    return {
      body: { type: 'TOOL_CALL', ...call },
      hidden: block.isChanged ? { withheld: true } : null,
    };
  }
}

const MAX_NAME_LENGTH = 64;

/** A tool name that every provider accepts: a refused one would block the chat permanently (I8). */
export function usableToolName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'unnamed';
}

/**
 * The arguments as the conversation contains them: `{}` unless they are a JSON object, and without
 * halves of characters (I8).
 */
function asObject(input: string): string {
  const json = objectText(input);
  return isObjectText(json) ? wellFormedJson(json) : '{}';
}
