import type { Message } from '../../protocol/message.js';
import { ModelError } from '../model-error.js';
import type { ModelRequest } from '../model-provider.js';
import type { DemoCall, DemoTurn } from './demo-turn.js';
import { findCalls } from './find-calls.js';
import { introduction } from './introduction.js';
import { longAnswer, wordsAskedFor } from './long-answer.js';
import { tellResults } from './tell-results.js';

/** More of a message is not looked at. */
const LONGEST_MESSAGE = 2_000;
const SLOW_ANSWER =
  'This answer takes its time, so that you can watch the stream, leave it and come back, or cancel it before it ends.';
const SLOWNESS = 25;
const THOUGHTS: Readonly<Record<string, string>> = {
  calculator: 'This is arithmetic. The calculator is better at it than I am.',
  current_time: 'Only a clock knows the time.',
  ask_human: 'Only the human knows that.',
  bash: 'This needs a command on the machine.',
};

/**
 * The script's next turn: what it does depends on the request and nothing else.
 * @throws ModelError when the last message says `fail`, or an answer is asked for that follows a schema
 */
export function demoTurn(request: ModelRequest): DemoTurn {
  if (request.schema) throw refusal('The demo script can follow no schema. Choose a real model.');
  const start = request.messages.findLastIndex(({ role }) => role === 'user');
  const told = tellResults(request.messages.slice(start + 1));
  if (told !== undefined) return { text: told };
  return reply(textOf(request.messages[start]), offeredBy(request));
}

function reply(message: string, offered: ReadonlySet<string>): DemoTurn {
  if (/^\s*(please )?fail\b/i.test(message))
    throw refusal('The demo script failed, because it was told to.');
  if (/^\s*(please )?slow\b/i.test(message)) return { text: SLOW_ANSWER, slowness: SLOWNESS };
  const words = wordsAskedFor(message);
  if (words !== undefined) return { thinking: `${words} words, then.`, text: longAnswer(words) };
  const calls = findCalls(message);
  return calls.length > 0 ? call(calls, offered) : { text: introduction(offered) };
}

function call(wanted: readonly DemoCall[], offered: ReadonlySet<string>): DemoTurn {
  const calls = wanted.filter(({ name }) => offered.has(name));
  const missing = wanted.filter(({ name }) => !offered.has(name)).map(({ name }) => name);
  const text =
    missing.length > 0
      ? `That takes ${missing.join(' and ')}, which I am not offered here.`
      : undefined;
  const thinking = calls.map(({ name }) => THOUGHTS[name]).join(' ');
  return {
    ...(thinking && { thinking }),
    ...(text && { text }),
    ...(calls.length > 0 && { calls }),
  };
}

function offeredBy({ tools, tool_choice }: ModelRequest): ReadonlySet<string> {
  if (tool_choice === 'none') return new Set();
  return new Set(tools?.map(({ name }) => name));
}

function textOf(message: Message | undefined): string {
  return message?.content?.slice(0, LONGEST_MESSAGE) ?? '';
}

function refusal(message: string): ModelError {
  return new ModelError('model_refused', message, { retryable: false });
}
