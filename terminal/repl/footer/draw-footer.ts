import type { AgentNode, Connection } from '../../../client/index.js';
import { sanitizeLine } from '../../render/sanitize.js';
import { lineWidth, span, wrap } from '../../render/span.js';
import type { Line } from '../../render/span.js';
import { GLYPHS, SGR } from '../../render/theme.js';
import type { View } from '../../render/theme.js';
import { drawActivity } from '../../screen/activity.js';
import { drawDraft } from '../../screen/editor.js';
import type { Draft } from '../../screen/editor.js';
import { MOST_FOOTER } from '../../screen/screen.js';
import type { Footer } from '../../screen/screen.js';
import { cutTo, widthOf } from '../../render/width.js';
import type { RunningCalls } from '../../transcript/running-calls.js';
import { summarise } from '../../transcript/tool-call.js';
import { drawWorking } from './draw-tree.js';
import type { Mode } from '../mode.js';

export interface Situation {
  readonly mode: Mode;
  readonly draft: Draft;
  /** False: the request has only just come. */
  readonly isRead: boolean;
  readonly isBusy: boolean;
  /** The last line of the text that is being written. */
  readonly live: Line;
  /** Agents to show at work. */
  readonly agents: readonly AgentNode[];
  readonly running: RunningCalls;
  readonly what: string;
  /** Milliseconds since the interaction began. */
  readonly elapsed: number;
  readonly connection: Connection | undefined;
  readonly pending: number;
  /** Lines of the approval that the screen has no room for. */
  readonly linesAbove: number;
  readonly queued: number;
  readonly notes: number;
  readonly background: number;
  /** A short message that the next key takes away. */
  readonly hint: string;
  /** Text about the chat, shown while nothing happens. */
  readonly about: string;
}

const LABELS = {
  reason: 'reason',
  question: 'answer',
  edit: 'instead',
  queued: 'queued',
} as const;

/** So many have their words, or all are named by their keys alone. */
const LEAST_CHOICES = 4;
/** In a terminal with fewer columns, what matters most has the room. */
const NARROW = 40;

/** At most four lines: the text that is written, what happens, and the keys or the input. */
export function drawFooter(at: Situation, view: View): Footer {
  const keys = drawKeys(at, view);
  const subject = drawSubject(at, view);
  const own = Math.max(keys.length, 1) + subject.length;
  const status = drawStatus(at, view)
    .flatMap((line) => wrap(line, view.width))
    .slice(0, MOST_FOOTER - own);
  const rows = MOST_FOOTER - own - status.length;
  const above = [...drawLive(at, { rows, width: view.width }), ...subject, ...status];
  if (keys.length > 0)
    return { lines: [...above, ...keys], cursor: { row: above.length, column: 0 } };
  const { lines, row, column } = drawDraft(at.draft, {
    prompt: promptOf(at),
    width: view.width,
    rows: MOST_FOOTER - above.length,
  });
  return { lines: [...above, ...lines], cursor: { row: above.length + row, column } };
}

/**
 * The request that keys or a text decide: others, and texts that look like one, may have been
 * printed below it.
 */
function drawSubject({ mode, isRead }: Situation, { width }: View): Line[] {
  if (!('request' in mode) || !isRead) return [];
  const { kind, tool_name = '', tool_input = '', question = '' } = mode.request;
  const isApproval = kind === 'approval';
  const name = sanitizeLine(tool_name);
  const asks = width < NARROW ? `${name}? ` : `May ${name} run? `;
  const head = cutTo(isApproval ? asks : '? ', width);
  const text = isApproval ? summarise(tool_input) : sanitizeLine(question.slice(0, 400));
  return [[span(head, SGR.ask), span(cutTo(text, width - widthOf(head)))]];
}

/** The agents at work if there are several to show, else the text that is written. */
function drawLive({ agents, live }: Situation, room: { rows: number; width: number }): Line[] {
  if (room.rows <= 0) return [];
  const working = agents.filter(({ status }) => status === 'running');
  if (working.length > 1) return drawWorking(agents, room);
  return live.length > 0 ? [live] : [];
}

function promptOf({ mode, isBusy }: Situation): Line {
  const label = mode.kind in LABELS ? `${LABELS[mode.kind as keyof typeof LABELS]} ` : '';
  return [span(`${label}${GLYPHS.prompt} `, isBusy && label === '' ? SGR.dim : SGR.user)];
}

const KEYS = {
  approval: ['a approve', 'e edit', 'r reject', 'm remember', 'n next', 'space message'],
  long: ['a approve', 'e edit', 'r reject', 'v view', 'm remember', 'n next', 'space message'],
  allow: ['c in this chat', 'g for this agent', 'w everywhere', 'd deny instead', 'Esc back'],
  deny: ['c in this chat', 'g for this agent', 'w everywhere', 'a allow instead', 'Esc back'],
} as const;

/**
 * The keys that decide, where a line of text is not asked for. Where they take more lines than the
 * footer has, the last ones are left out, or the words of all.
 */
function drawKeys({ mode, draft, isRead, linesAbove }: Situation, { width }: View): Line[] {
  if (mode.kind === 'approval' && !isRead) return [];
  if (mode.kind === 'remember' && !mode.isShown) return [];
  if (draft.text !== '' || (mode.kind !== 'approval' && mode.kind !== 'remember')) return [];
  const keys =
    mode.kind === 'remember'
      ? KEYS[mode.approved ? 'allow' : 'deny']
      : KEYS[linesAbove > 0 ? 'long' : 'approval'];
  const choices = keys.map((text): Line => {
    const [key = '', ...words] = text.split(' ');
    return [span(key, SGR.ask), span(` ${words.join(' ')}`)];
  });
  for (let count = choices.length; count >= LEAST_CHOICES; count--) {
    const lines = pack(choices.slice(0, count), width);
    if (lines.length < MOST_FOOTER) return lines;
  }
  return pack(
    choices.map(([key]) => [key!]),
    width,
  );
}

/** Each choice is on one line. */
function pack(choices: readonly Line[], width: number): Line[] {
  const lines: Line[] = [];
  for (const choice of choices) {
    const last = lines.at(-1);
    const gap = span('  ');
    if (last && lineWidth([...last, gap, ...choice]) <= width)
      lines[lines.length - 1] = [...last, gap, ...choice];
    else lines.push(choice);
  }
  return lines;
}

function drawStatus(at: Situation, view: View): Line[] {
  if (at.hint !== '') return [[span(sanitizeLine(at.hint), SGR.yellow)]];
  if (at.connection?.state === 'reconnecting') {
    const { attempt, delay_ms } = at.connection;
    const seconds = Math.ceil(delay_ms / 1_000);
    const text = `reconnecting ${GLYPHS.dot} attempt ${attempt}, the next in ${seconds} s`;
    return [[span(text, SGR.yellow)]];
  }
  const parts = partsOf(at, view);
  const more: Line = parts.length > 0 ? [span(`  ${parts.join(` ${GLYPHS.dot} `)}`, SGR.dim)] : [];
  if (at.isBusy && at.pending > 0)
    return [[span(`${at.pending} waiting for you`, SGR.ask), ...more]];
  if (at.isBusy) {
    const room = view.width - more.reduce((sum, { text }) => sum + text.length, 0);
    const doing = drawActivity(at.running, at, { ...view, width: Math.max(room, 12) });
    return doing.map((line) => [...line, ...more]);
  }
  if (at.mode.kind === 'edit')
    return [[span('Enter sends it in place of the last, Esc leaves it', SGR.dim)]];
  if (at.mode.kind === 'question') return [[span('Ctrl-D declines', SGR.dim)]];
  const about = at.draft.text === '' ? [at.about, ...parts] : parts;
  return about.length === 0 ? [] : [[span(about.join(` ${GLYPHS.dot} `), SGR.dim)]];
}

function partsOf(at: Situation, { width }: View): string[] {
  const { queued, notes, background, mode } = at;
  const hasRequest = at.isBusy && at.isRead && at.pending > 0;
  return [
    ...(mode.kind === 'question' ? ['Ctrl-D declines'] : []),
    ...(at.linesAbove > 0 ? [`${at.linesAbove} line${at.linesAbove > 1 ? 's' : ''} above`] : []),
    ...(hasRequest && width >= NARROW ? [escapeOf(at)] : []),
    ...(notes > 0 ? [`${notes} note${notes > 1 ? 's' : ''} sent`] : []),
    ...(queued > 0 ? [`${queued} queued`] : []),
    ...(background > 0 ? [`${background} in the background`] : []),
  ];
}

/** The effect of Esc while a request waits. */
function escapeOf({ mode, draft }: Situation): string {
  if (!/^(?:approval|question|message)$/.test(mode.kind)) return 'Esc goes back';
  return draft.text === '' ? 'Esc cancels the answer' : 'Esc empties the input, then keys decide';
}
