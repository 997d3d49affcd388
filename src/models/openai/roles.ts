import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Adaptation } from '../profile/adaptation.js';

type Param = ChatCompletionMessageParam;
type Content = string | ChatCompletionContentPart[];

/** Placeholders where a template requires a message. */
const NOTHING_SAID = '(nothing was said)';
const NOTED = 'Noted.';
const GO_ON = 'Go on.';

/** Makes one message of those of the user that follow each other. */
function mergeUsers(params: readonly Param[]): Param[] {
  const merged: Param[] = [];
  for (const param of params) {
    const last = merged.at(-1);
    if (last?.role !== 'user' || param.role !== 'user') merged.push(param);
    else merged.splice(-1, 1, { ...last, content: joined(last.content, param.content) });
  }
  return merged;
}

function joined(one: Content, other: Content): Content {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`;
  return [...partsOf(one), ...partsOf(other)];
}

function partsOf(content: Content): ChatCompletionContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The messages as templates take them that are strict about who speaks when. */
export function alternating(
  params: readonly Param[],
  { alternate, bridge }: Pick<Adaptation, 'alternate' | 'bridge'>,
): Param[] {
  if (!alternate && !bridge) return [...params];
  const merged = mergeUsers(params);
  const bridged = bridge ? merged.flatMap((param, at) => afterTool(param, merged[at - 1])) : merged;
  return alternate ? takingTurns(bridged) : bridged;
}

function afterTool(param: Param, before: Param | undefined): Param[] {
  const isBridged = param.role === 'user' && before?.role === 'tool';
  return isBridged ? [{ role: 'assistant', content: NOTED }, param] : [param];
}

function takingTurns(params: readonly Param[]): Param[] {
  const turns: Param[] = [];
  for (const param of params) {
    const last = turns.at(-1);
    if (param.role === 'assistant' && !isAnswerable(last))
      turns.push({ role: 'user', content: last?.role === 'assistant' ? GO_ON : NOTHING_SAID });
    turns.push(param);
  }
  if (turns.at(-1)?.role === 'assistant') turns.push({ role: 'user', content: GO_ON });
  return turns;
}

function isAnswerable(param: Param | undefined): boolean {
  return param?.role === 'user' || param?.role === 'tool';
}
