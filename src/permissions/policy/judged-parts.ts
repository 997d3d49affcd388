import type { JudgedPart } from '../matching/judged-part.js';
import type { PermissionCall } from '../matching/permission-call.js';
import type { Script } from '../shell/script.js';

/**
 * The script of a call. A tool that runs scripts is identified by its name or category; the script
 * is its input `command`.
 */
export function scriptOf({ tool_name, tool_input, policy }: PermissionCall): string | undefined {
  const { command } = tool_input;
  if (typeof command !== 'string') return undefined;
  return tool_name === 'bash' || policy?.category === 'execute' ? command : undefined;
}

/** The parts of a call that are judged separately. A script that runs nothing is one part. */
export function judgedParts(
  { tool_name }: PermissionCall,
  script: { readonly text: string; readonly read: Script } | undefined,
): JudgedPart[] {
  const { text, read } = script ?? {};
  if (text === undefined || !read) return [{ kind: 'call', source: tool_name }];
  if (read.fault !== undefined) return [{ kind: 'unreadable', source: text, fault: read.fault }];
  const effective = read.parts.some((part) => !isShadow(part));
  return effective ? [...read.parts] : [...read.parts, { kind: 'call', source: text }];
}

/** True for a part that can forbid but not permit, and that needs no permission itself. */
export function isShadow(part: JudgedPart): boolean {
  if (part.kind === 'command') return part.shadow;
  return part.kind === 'file' && part.access === 'read';
}
