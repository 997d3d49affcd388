import type { Decider, RecordEvent, RecordOf, Usage } from '../../client/index.js';
import { sanitize, sanitizeLine } from '../render/sanitize.js';
import { span, wrap } from '../render/span.js';
import type { Line } from '../render/span.js';
import { GLYPHS, SGR } from '../render/theme.js';
import type { View } from '../render/theme.js';
import { cutTo } from '../render/width.js';
import { drawApproval, drawCall, durationOf } from './tool-call.js';

/** Facts beside a record that its drawing needs. */
export interface Context {
  /** The name of an agent. */
  readonly nameOf: (agentId: string) => string;
  /** True for a request that this terminal has settled. */
  readonly isMine: (requestId: string) => boolean;
  readonly usage: Usage;
  readonly started_at: string | undefined;
}

type Draw = (view: View) => Line[];

/**
 * How a record is drawn that is no text and no result, and what stands below an answer; undefined
 * for nothing.
 */
export function drawingOf(record: RecordEvent, context: Context): Draw | undefined {
  switch (record.type) {
    case 'INTERACTION_STARTED':
      return (view) => drawMessage(record, view);
    case 'ANSWER':
      if (record.replaces === undefined) return undefined;
      return (view) => mark(GLYPHS.note, 'in place of the answer before it', SGR.dim, view);
    case 'TOOL_CALL':
      if (record.tool_name === 'ask_human') return undefined; // the question follows
      return (view) => drawCall(record.tool_name, record.tool_input, view);
    case 'APPROVAL_REQUIRED':
      return (view) => drawApproval(record, view);
    case 'APPROVED':
    case 'REJECTED': {
      const isMine = context.isMine(record.approval_id);
      return (view) => drawVerdict(record, isMine, view);
    }
    case 'INPUT_REQUIRED':
      return (view) => drawQuestion(record, view);
    case 'INPUT_RECEIVED': {
      const by = context.isMine(record.request_id) ? '' : ` by ${byOf(record.by, record.cause)}`;
      const text = record.answer === null ? `declined${by}` : `answered${by}: ${record.answer}`;
      return (view) => mark(GLYPHS.note, text, SGR.dim, view);
    }
    case 'TOOL_RESULT_REQUIRED':
      return (view) =>
        mark('?', `${record.tool_name} has to be run by the client that offers it`, SGR.ask, view);
    case 'AGENT_STARTED':
      return (view) => drawAgent(record, view);
    case 'AGENT_COMPLETED': {
      const text = `${context.nameOf(record.agent_id)} ${record.status}`;
      return (view) => mark('', text, record.status === 'error' ? SGR.red : SGR.dim, view);
    }
    case 'AGENT_INTERVENED': {
      const { user_comment: comment, user_content: content } = record;
      const text = content === undefined ? comment : `${comment}: ${content}`;
      return (view) => mark(GLYPHS.note, text, SGR.cyan, view);
    }
    case 'AGENT_TOLD':
      return (view) =>
        mark(
          GLYPHS.note,
          `to ${context.nameOf(record.to_agent_id)}: ${record.text}`,
          SGR.dim,
          view,
        );
    case 'TASK_UPDATED':
      return (view) => mark('', taskOf(record), SGR.dim, view);
    case 'NOTICE':
      return (view) => mark('!', record.message, SGR.yellow, view);
    case 'RESUMED':
      return (view) => mark('!', `${record.reason}; it goes on`, SGR.yellow, view);
    case 'ERROR':
      return (view) => mark(GLYPHS.bad, `${record.message} (${record.code})`, SGR.red, view);
    case 'CANCELLED':
      return (view) => mark(GLYPHS.bad, record.reason, SGR.yellow, view);
    case 'INTERACTION_COMPLETE': {
      const text = summaryOf(record, context);
      return (view) => mark('', text, SGR.dim, view);
    }
    default:
      return undefined;
  }
}

function drawMessage({ user_message, files }: RecordOf<'INTERACTION_STARTED'>, view: View): Line[] {
  const indent = { first: [span(`${GLYPHS.prompt} `, SGR.user)], rest: [span('  ')] };
  const text = sanitize(user_message.slice(0, 4_000));
  const cut =
    user_message.length > 4_000 ? ` ${GLYPHS.more} (${user_message.length} characters)` : '';
  const names = (files ?? []).map(({ filename }) => sanitizeLine(filename)).join(', ');
  return [
    ...wrap([span(text, SGR.bold), span(cut, SGR.dim)], view.width, indent),
    ...(names === '' ? [] : mark('', `with ${names}`, SGR.dim, view)),
  ];
}

function drawVerdict(
  record: RecordOf<'APPROVED' | 'REJECTED'>,
  isMine: boolean,
  view: View,
): Line[] {
  const isApproved = record.type === 'APPROVED';
  const by = isMine ? '' : ` by ${byOf(record.by, record.cause)}`;
  const reason = record.reason ? `: ${record.reason}` : '';
  const changed = isApproved && record.modified_input;
  const as = changed ? ` as ${JSON.stringify(record.modified_input)}` : '';
  const text = `${isApproved ? 'approved' : 'rejected'}${by}${as}${reason}`;
  return isApproved
    ? mark(GLYPHS.good, text, SGR.green, view)
    : mark(GLYPHS.bad, text, SGR.red, view);
}

function byOf(by: Decider, cause?: string): string {
  if (cause === 'timeout') return 'nobody in time';
  if (cause === 'cancel') return 'the cancel';
  return by.kind === 'user' ? sanitizeLine(by.user_id ?? 'a user') : 'the server';
}

function drawQuestion({ question, options }: RecordOf<'INPUT_REQUIRED'>, view: View): Line[] {
  const indent = { first: [span('? ', SGR.ask)], rest: [span('  ')] };
  const lines = wrap([span(sanitize(question), SGR.bold)], view.width, indent);
  const choices = (options ?? []).flatMap((option, index) =>
    wrap([span(`${index + 1}  `, SGR.ask), span(sanitizeLine(option))], view.width, {
      first: [span('  ')],
      rest: [span('     ')],
    }),
  );
  return [...lines, ...choices];
}

function drawAgent({ agent_type, prompt }: RecordOf<'AGENT_STARTED'>, { width }: View): Line[] {
  const title = `${GLYPHS.tool} ${sanitizeLine(agent_type)}`;
  const text = cutTo(sanitizeLine(prompt.slice(0, 400)), Math.max(width - title.length - 1, 1));
  return [[span(title, SGR.agent), span(` ${text}`)]];
}

function taskOf({ task, deleted }: RecordOf<'TASK_UPDATED'>): string {
  const box = { pending: '[ ]', in_progress: '[~]', completed: '[x]' }[task.status];
  return `${deleted ? '[-]' : box} ${task.title}`;
}

/** A line of its own behind a mark. */
export function mark(sign: string, text: string, sgr: string, view: View): Line[] {
  const lead = sign === '' ? '  ' : `  ${sign} `;
  const indent = { first: [span(lead, sgr)], rest: [span(' '.repeat(lead.length))] };
  return wrap([span(sanitize(text), sgr)], view.width, indent);
}

function summaryOf(
  record: RecordOf<'INTERACTION_COMPLETE'>,
  { usage, started_at }: Context,
): string {
  const time =
    started_at === undefined ? [] : [durationOf(Date.parse(record.at) - Date.parse(started_at))];
  return [record.status.toLowerCase(), ...time, ...usageParts(usage)].join(` ${GLYPHS.dot} `);
}

/** `1,234 in (1,000 cached), 56 out`, `$0.0123`; nothing where nothing was counted. */
function usageParts({ input_tokens, output_tokens, cached_tokens, cost_usd }: Usage): string[] {
  const cached = cached_tokens ? ` (${numberOf(cached_tokens)} cached)` : '';
  const tokens = `${numberOf(input_tokens)} in${cached}, ${numberOf(output_tokens)} out`;
  const counted = input_tokens + output_tokens > 0 ? [tokens] : [];
  return [...counted, ...(cost_usd === undefined ? [] : [`$${costOf(cost_usd)}`])];
}

function numberOf(count: number): string {
  return count.toLocaleString('en-US');
}

function costOf(usd: number): string {
  return usd === 0 ? '0' : usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(2);
}
