import type { Message } from '../../protocol/message.js';
import { outputPath } from '../../tools/output-path.js';
import { cutText } from '../../tools/files/cut-text.js';

/** Outputs that are not longer, in UTF-16 code units, stay as they are. */
const MIN_LENGTH = 2_000;
/** What is left of one, so that the model knows what it was. */
const SHOWN = 300;

/** A message as it is, or for a large output of a tool, how it begins and where it is kept. */
export function asReference(message: Message): Message {
  if (message.role !== 'tool' || message.content.length <= MIN_LENGTH) return message;
  const { content, tool_call_id } = message;
  const note = `[… ${content.length} characters, left out here to save room. If this is needed again, open it with the tool read: ${outputPath(tool_call_id)}]`;
  return { ...message, content: `${cutText(content, SHOWN)}\n${note}` };
}
