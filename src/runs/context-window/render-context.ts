import { rememberPerObject } from '../../kernel/remember-per-object.js';
import type { Message, UserMessage } from '../../protocol/message.js';
import type { ContextCut } from './context-marks.js';
import { outputPath } from '../../tools/text/output-path.js';
import { cutText } from '../../kernel/text/cut-text.js';

interface RenderedConversation {
  readonly messages: readonly Message[];
  readonly cut: ContextCut;
  /** Index of the message that the agent works on, which is always sent. */
  readonly task: number;
  /** Index of the first message that the chat's settings let the model see; 0 unless given. */
  readonly window?: number;
  /** Number of messages before these that are not loaded; 0 unless given. */
  readonly unread?: number | undefined;
}

/**
 * The conversation as it is sent. It is valid for a provider (I8) if the whole conversation is
 * valid and the cut is at the beginning of a turn.
 */
export function renderContext(rendered: RenderedConversation): readonly Message[] {
  const { messages, cut } = rendered;
  const { from, references_before } = cut;
  const newest = messages
    .slice(from)
    .map((message, at) => (from + at < references_before ? asReference(message) : message));
  return from === 0 ? newest : [...contextHead(rendered), ...newest];
}

/** The messages that replace the omitted ones. */
export function contextHead({
  messages,
  cut,
  task,
  window = 0,
  unread = 0,
}: RenderedConversation): readonly Message[] {
  const { from, summary } = cut;
  const system = messages.slice(0, from).filter(({ role }) => role === 'system');
  const current = task < from ? messages[task] : undefined;
  return [
    ...system,
    ...(from > window || summary !== null ? [placeholder(unread + from, summary)] : []),
    ...(current && current.role === 'user' ? [current] : []),
  ];
}

function placeholder(count: number, summary: string | null): UserMessage {
  const left = `[The beginning of this conversation (messages: ${count}) is left out: there was no more room for it.`;
  if (summary === null) return { role: 'user', content: `${left}]` };
  return { role: 'user', content: `${left} What it came to:]\n\n${summary}` };
}

/** Outputs up to this length, in UTF-16 code units, stay unchanged. */
const MIN_LENGTH = 2_000;
/** Characters of an output that are kept, so that the model can recognise it. */
const SHOWN = 300;

/**
 * The message unchanged, or for a large tool output, its beginning and the place where it is kept.
 */
export const asReference = rememberPerObject((message: Message): Message => {
  if (message.role !== 'tool' || message.content.length <= MIN_LENGTH) return message;
  const { content, tool_call_id } = message;
  const note = `[… ${content.length} characters, left out here to save room. If this is needed again, open it with the tool read: ${outputPath(tool_call_id)}]`;
  return { ...message, content: `${cutText(content, SHOWN)}\n${note}` };
});
