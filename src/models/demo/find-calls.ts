import type { DemoCall } from './demo-turn.js';
import { findExpression } from './find-expression.js';
import { findTimezone } from './find-timezone.js';

const RUN = /\brun\s*:?\s*`([^`]+)`|\brun:\s*(.+)/is;
const ASK = /\bask me\b[\s,]*(.*)/is;
const TIME =
  /\b(what time|the time|current time|time is it|time in|clock|what date|what day|today)\b/i;
const LONGEST = 500;

/** The tool calls that a message asks for, in order; none when it asks for something else. */
export function findCalls(message: string): readonly DemoCall[] {
  const command = RUN.exec(message);
  if (command) return [{ name: 'bash', arguments: { command: cut(command[1] ?? command[2]!) } }];
  const question = ASK.exec(message);
  if (question) return [{ name: 'ask_human', arguments: asked(cut(question[1]!)) }];
  return [...calculation(message), ...clock(message)];
}

function calculation(message: string): DemoCall[] {
  const expression = findExpression(message);
  return expression ? [{ name: 'calculator', arguments: { expression } }] : [];
}

function clock(message: string): DemoCall[] {
  if (!TIME.test(message)) return [];
  const timezone = findTimezone(message);
  return [{ name: 'current_time', arguments: timezone ? { timezone } : {} }];
}

/** `which colour I like: red, green or blue` as a question with options. */
function asked(text: string): DemoCall['arguments'] {
  const [subject = '', list] = text.replace(/[.?!]+$/, '').split(/:\s*/, 2);
  const options = list?.split(/,\s*|\s+or\s+/).filter((option) => option !== '');
  return { question: toQuestion(subject), ...(options && options.length > 1 && { options }) };
}

function toQuestion(subject: string): string {
  const turned = subject
    .replace(/^(if|whether)\s/i, '')
    .replace(/\bI\b/, 'do you')
    .replace(/\bmy\b/gi, 'your')
    .trim();
  if (turned === '' || /^(a|any|some) questions?$/i.test(turned))
    return 'What would you like to do next?';
  return `${turned[0]!.toUpperCase()}${turned.slice(1)}?`;
}

function cut(text: string): string {
  return text.trim().slice(0, LONGEST);
}
