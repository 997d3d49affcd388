import { drawDiff, isDiff } from '../render/diff.js';
import { sanitize, sanitizeLine } from '../render/sanitize.js';
import { span, wrap } from '../render/span.js';
import type { Line } from '../render/span.js';
import { GLYPHS, SGR } from '../render/theme.js';
import type { View } from '../render/theme.js';
import { cutTo } from '../render/width.js';
import type { RecordOf, RequestState } from '../../client/index.js';

/** Lines of a result that are shown; `/output` shows all. */
const SHOWN_LINES = 8;
/** Before all lines of a result but the first. */
const HANG = '    ';
/** Number of characters of a result in which those lines are found. */
const LOOKED_AT = 64_000;
/** The description of a rule tells a person enough. */
const RULE_ID = / rule_[0-9a-f-]{36}/g;
/** The argument that says most about a call, by its name. */
const TELLING = ['command', 'path', 'pattern', 'expression', 'url', 'query', 'question', 'prompt'];

/** Returns a line about the arguments of a call. */
export function summarise(toolInput: string): string {
  const input = parseObject(toolInput);
  if (!input) return sanitizeLine(toolInput.slice(0, 400));
  const name = TELLING.find((it) => typeof input[it] === 'string');
  const text = name === undefined ? JSON.stringify(input) : String(input[name]);
  return text === '{}' ? '' : sanitizeLine(text.slice(0, 400)).trim();
}

export function drawCall(name: string, toolInput: string, { width }: View): Line[] {
  const title = `${GLYPHS.tool} ${sanitizeLine(name)}`;
  const room = width - title.length - 1;
  const summary = summarise(toolInput);
  const shown = room > 3 && summary !== '' ? ` ${cutTo(summary, room)}` : '';
  return [[span(title, SGR.tool), span(shown)]];
}

export interface NumberedResult {
  readonly record: RecordOf<'TOOL_RESULT'>;
  /** For `/output`. */
  readonly number: number;
  /** True if its call stands right above. */
  readonly follows: boolean;
  /** The text that was approved; empty if nothing was asked. */
  readonly action: string;
}

export function drawResult(
  { record, number, follows, action }: NumberedResult,
  view: View,
): Line[] {
  const { tool_name, is_error, duration_ms, data } = record;
  const mark = is_error ? span(`${GLYPHS.bad} `, SGR.red) : span(`${GLYPHS.result} `, SGR.dim);
  const lead: Line = [span('  '), mark];
  const time = span(`(${durationOf(duration_ms)})`, SGR.dim);
  const name = follows ? [] : [span(`${sanitizeLine(tool_name)}: `, SGR.tool)];
  const width = view.width - 4;
  const indent = { first: lead, rest: [span(HANG)] };
  const onOneLine = (line: Line): Line[] =>
    wrap([...name, ...line, span(' '), time], view.width, indent);
  const diff = typeof data?.diff === 'string' ? sanitize(data.diff) : undefined;
  if (diff !== undefined && diff !== '') {
    const line = [span(cutTo(sanitizeLine(record.tool_output), width))];
    const isApproved = sanitize(action).includes(diff.trimEnd());
    return [...onOneLine(line), ...(isApproved ? [] : hang(drawDiff(diff, width)))];
  }
  const { lines, hidden } = headOfOutput(record.tool_output);
  const shown = lines.map((text): Line => [span(cutTo(text, width), is_error ? SGR.red : SGR.dim)]);
  const [first = [span('no output', SGR.dim)], ...rest] = shown;
  if (hidden === 0 && rest.length === 0) return onOneLine(first);
  const more = `${GLYPHS.more} ${hidden} more line${hidden === 1 ? '' : 's'}, /output ${number} `;
  const end = [span(hidden > 0 ? more : '', SGR.dim), time];
  const begin = wrap([...name, ...first], view.width, indent);
  return [...begin, ...hang([...rest, ...wrap(end, width)])];
}

function hang(lines: readonly Line[]): Line[] {
  return lines.map((line) => [span(HANG), ...line]);
}

function headOfOutput(output: string): { lines: string[]; hidden: number } {
  const start = sanitize(output.slice(0, LOOKED_AT)).trimEnd();
  const all = start === '' ? [] : start.split('\n');
  const beyond = output.length > LOOKED_AT ? countLines(output, LOOKED_AT) : 0;
  const hidden = Math.max(all.length - SHOWN_LINES, 0) + beyond;
  return {
    lines: hidden === 1 ? all.slice(0, SHOWN_LINES + 1) : all.slice(0, SHOWN_LINES),
    hidden: hidden === 1 ? 0 : hidden,
  };
}

function countLines(text: string, from: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

type ApprovalText = Pick<
  RequestState,
  'tool_name' | 'tool_input' | 'action' | 'category' | 'risk' | 'reason'
>;

/** All of an approval: what would run, or the change, or else the arguments. Nothing is cut. */
export function drawApproval(request: ApprovalText, view: View): Line[] {
  const { tool_name = '', category = '', risk = '', reason = '', tool_input = '' } = request;
  const bar = {
    first: [span(`  ${GLYPHS.bar} `, SGR.ask)],
    rest: [span(`  ${GLYPHS.bar} `, SGR.ask)],
  };
  const action = sanitize(request.action ?? '');
  const body = isDiff(action)
    ? drawDiff(action, view.width - 4).flatMap((line) => wrap(line, view.width, bar))
    : wrap([span(action)], view.width, bar);
  const rest = argumentsBeside(action, tool_input);
  const also = rest === '' ? [] : wrap([span(rest, SGR.dim)], view.width, bar);
  const title = `? May ${sanitizeLine(tool_name)} run?`;
  const about = ` ${sanitizeLine(category)}, ${sanitizeLine(risk)} risk`;
  return [
    ...wrap([span(title, SGR.ask), span(about, SGR.dim)], view.width, {
      first: [],
      rest: [span('  ')],
    }),
    ...body,
    ...also,
    ...wrap([span(sanitizeLine(reason).replaceAll(RULE_ID, ''), SGR.dim)], view.width, {
      first: [span('  ')],
      rest: [span('  ')],
    }),
  ];
}

/** Arguments that the action does not show, as indented JSON. */
function argumentsBeside(action: string, toolInput: string): string {
  const input = parseObject(toolInput);
  if (!input) return sanitize(toolInput);
  const isShown = (value: unknown): boolean =>
    typeof value === 'string'
      ? sanitize(value)
          .split('\n')
          .every((line) => action.includes(line))
      : action.includes(JSON.stringify(value));
  const entries = Object.entries(input).filter(([, value]) => !isShown(value));
  if (entries.length === 0) return '';
  return entries
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
      return sanitize(text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`);
    })
    .join('\n');
}

export function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** `14 ms`, `2.1 s`, `3 min 5 s`, `2 h 3 min` */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
