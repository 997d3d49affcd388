import type { JudgedPart } from '../matching/judged-part.js';
import { showOnOneLine } from '../../tools/text/show-unseen.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { TraceEntry } from '../../protocol/wire/rule.js';

const MAX_ENTRIES = 500;
const MAX_LENGTH = 200;

/** Collects the considered rules for the trace, up to a maximum. */
export class Trace {
  private readonly considered: TraceEntry[] = [];

  get entries(): readonly TraceEntry[] {
    return this.considered;
  }

  add(part: JudgedPart, entry: Omit<TraceEntry, 'command'>): void {
    if (this.considered.length >= MAX_ENTRIES) return;
    const shown = { ...entry, why: showOnOneLine(entry.why) };
    this.considered.push(part.kind === 'call' ? shown : { ...shown, command: showPart(part) });
  }
}

/**
 * A part as text for people: a command as a shell reads it, with `…` for text that is known only at
 * run time.
 */
export function showPart(part: JudgedPart): string {
  const text = part.kind === 'command' ? part.words.map(showWord).join(' ') : part.source;
  return showOnOneLine(cut(text));
}

function showWord({ text, dynamic }: { text: string; dynamic: boolean }): string {
  return dynamic ? `${text}…` : text;
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${cutText(text, MAX_LENGTH)}…` : text;
}
