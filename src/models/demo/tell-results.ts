import type { Message, ToolCall } from '../../protocol/message.js';

const FAILED =
  /^(error\b|the (call|tool|command|user|server)\b|rejected|denied|declined|cancelled|not allowed|there is no|no answer)/i;

/** What came of the calls that followed the last user message, a sentence or more for each; undefined when there were none. */
export function tellResults(messages: readonly Message[]): string | undefined {
  const results = new Map(
    messages.flatMap((m) => (m.role === 'tool' ? [[m.tool_call_id, m.content] as const] : [])),
  );
  const calls = messages.flatMap((m) => (m.role === 'assistant' ? (m.tool_calls ?? []) : []));
  const told = calls.flatMap((call) => {
    const result = results.get(call.id);
    return result === undefined ? [] : [tell(call, result.trim())];
  });
  return told.length > 0 ? told.join('\n\n') : undefined;
}

function tell({ function: { name, arguments: text } }: ToolCall, result: string): string {
  const input = parse(text);
  if (name === 'calculator') return tellCalculation(String(input.expression), result);
  if (name === 'current_time') return tellTime(result);
  if (FAILED.test(result)) return `The call of ${name} brought nothing. It says: ${result}`;
  if (name === 'ask_human') return result ? `You answered: ${result}` : 'You gave no answer.';
  if (name === 'bash')
    return `I ran \`${String(input.command)}\`. It says:\n\n${result || '(nothing)'}`;
  return `${name} says: ${result}`;
}

function tellCalculation(expression: string, result: string): string {
  if (/^[-+]?(\d|Infinity)/.test(result)) return `${expression} = ${result}`;
  return `I could not work out ${expression}. The calculator says: ${result}`;
}

function tellTime(result: string): string {
  if (/^\d/.test(result)) return `It is ${result}.`;
  return `I could not find out the time. The clock says: ${result}`;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
