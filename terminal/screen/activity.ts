import { span } from '../render/span.js';
import type { Line } from '../render/span.js';
import { SGR, SPINNER } from '../render/theme.js';
import type { View } from '../render/theme.js';
import { cutTo, tailOf, widthOf } from '../render/width.js';
import type { RunningCalls } from '../transcript/running-calls.js';
import { durationOf } from '../transcript/tool-call.js';

const SPIN_MS = 120;

export function hasActivity(running: RunningCalls): boolean {
  return running.started.length > 0 || running.input !== undefined;
}

export interface Doing {
  /** Milliseconds since it began. */
  readonly elapsed: number;
  readonly what: string;
}

/** Line about what happens now: a call that runs and the end of its output, or the model. */
export function drawActivity(running: RunningCalls, { elapsed, what }: Doing, view: View): Line[] {
  const { width } = view;
  const spin = SPINNER[Math.floor(elapsed / SPIN_MS) % SPINNER.length]!;
  const calls = running.started;
  const call = calls.at(-1);
  if (!call) {
    const input = running.input;
    const lead = `${spin} ${input === undefined ? what : 'writes a call'} `;
    const time = secondsOf(elapsed);
    const room = width - lead.length - time.length - 1;
    const rest = input === undefined || room < 4 ? [] : [span(` ${tailOf(input, room)}`, SGR.dim)];
    return [[span(lead, SGR.cyan), span(time, SGR.dim), ...rest]];
  }
  const time = secondsOf(performance.now() - (call.started ?? 0));
  const others = calls.length > 1 ? ` +${calls.length - 1}` : '';
  const lead = `${spin} ${call.name}`;
  const about = `${others} ${time}`;
  const room = width - widthOf(lead) - about.length - 1;
  const said = running.lastOutput || call.summary;
  const rest = room < 4 ? '' : ` ${cutTo(said, room - 1)}`;
  return [[span(lead, SGR.cyan), span(about, SGR.dim), span(rest, SGR.dim)]];
}

/** Whole seconds do not flicker. */
function secondsOf(ms: number): string {
  return ms < 1_000 ? '' : durationOf(Math.floor(ms / 1_000) * 1_000).replace('.0 s', ' s');
}
