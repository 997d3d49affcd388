import type { Message, UserMessage } from '../../protocol/message.js';
import type { ContextCut } from './context-marks.js';
import { outputPath } from '../../tools/output-path.js';
import { cutText } from '../../tools/files/cut-text.js';

interface RenderedConversation {
  readonly messages: readonly Message[];
  readonly cut: ContextCut;
  /** The message that the agent works on, which is sent in any case. */
  readonly task: number;
}

/**
 * A conversation as it is sent: always one that a provider takes (I8) if the whole is, and the cut
 * at the beginning of a turn.
 */
export function renderContext({ messages, cut, task }: RenderedConversation): readonly Message[] {
  const { from, references_before } = cut;
  const newest = messages
    .slice(from)
    .map((message, at) => (from + at < references_before ? asReference(message) : message));
  return from === 0 ? newest : [...contextHead({ messages, cut, task }), ...newest];
}

/** The messages that replace those that are left out. */
export function contextHead({ messages, cut, task }: RenderedConversation): readonly Message[] {
  const { from, summary } = cut;
  const system = messages.slice(0, from).filter(({ role }) => role === 'system');
  const current = task < from ? messages[task] : undefined;
  return [
    ...system,
    placeholder(from, summary),
    ...(current && current.role === 'user' ? [current] : []),
  ];
}

function placeholder(count: number, summary: string | null): UserMessage {
  const left = `[The beginning of this conversation (messages: ${count}) is left out: there was no more room for it.`;
  if (summary === null) return { role: 'user', content: `${left}]` };
  return { role: 'user', content: `${left} What it came to:]\n\n${summary}` };
}

/** Outputs that are not longer, in UTF-16 code units, stay as they are. */
const MIN_LENGTH = 2_000;
/** Characters of an output that stay, so that the model can recognise it. */
const SHOWN = 300;

/** A message as it is, or for a large output of a tool, how it begins and where it is kept. */
export function asReference(message: Message): Message {
  if (message.role !== 'tool' || message.content.length <= MIN_LENGTH) return message;
  const { content, tool_call_id } = message;
  const note = `[… ${content.length} characters, left out here to save room. If this is needed again, open it with the tool read: ${outputPath(tool_call_id)}]`;
  return { ...message, content: `${cutText(content, SHOWN)}\n${note}` };
}
