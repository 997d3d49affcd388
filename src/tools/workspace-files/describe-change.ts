import type { ToolData } from '../core/tool-output.js';
import type { Cut } from '../../kernel/text/cut-text.js';
import { showDiff } from './show-diff.js';
import { decodeText } from './text-content.js';

export interface ChangeAbout {
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

/** Describes a change of a file, for the person who approves it. */
export function describeChange({ path, before, after }: ChangeAbout, cut: Cut): string {
  if (before?.equals(after)) return `${path} is so already: nothing changes.`;
  const old = before && decodeText(before);
  const now = decodeText(after);
  if (!now.ok || old?.ok === false)
    return `${path}, which is not text: ${before?.length ?? 0} bytes become ${after.length}.`;
  const { added, removed, text } = showDiff({ path, before: old?.text, after: now.text }, cut);
  const notes = old ? notesOn(old, now) : [];
  return [`${path} (+${added} −${removed} lines)`, ...notes, text].join('\n');
}

/** For clients that show the change of a file. */
export function diffData({ path, before, after }: ChangeAbout, cut: Cut): ToolData {
  const old = before && decodeText(before);
  const now = decodeText(after);
  const size_bytes = after.length;
  if (!now.ok || old?.ok === false) return { path, size_bytes };
  const { added, removed, text } = showDiff({ path, before: old?.text, after: now.text }, cut);
  return { path, size_bytes, added, removed, diff: text };
}

interface Text {
  readonly text: string;
  readonly has_mark: boolean;
}

/** Notes on the differences that a diff does not show. */
function notesOn(old: Text, now: Text): string[] {
  const [before, after] = [endingsOf(old.text), endingsOf(now.text)];
  const notes: string[] = [];
  if (before !== after && old.text !== '') notes.push(`Line endings: ${before} becomes ${after}.`);
  if (old.has_mark && !now.has_mark) notes.push('The byte order mark goes.');
  if (!old.has_mark && now.has_mark) notes.push('A byte order mark is put in.');
  return notes;
}

function endingsOf(text: string): string {
  const crlf = count(text, '\r\n');
  if (crlf === 0) return 'LF';
  return crlf === count(text, '\n') ? 'CRLF' : 'LF and CRLF';
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
