import { Effort } from '../../matching/effort.js';
import type { LinearRegex, SearchResult } from '../../matching/linear-regex.js';
import type { PermissionCall } from './permission-call.js';
import type { ScriptPart } from '../shell/script.js';
import { canonicalJson } from '../../kernel/json/json.js';
import { findPathInputs } from './path-inputs.js';

export const MAX_TEXTS = 200;

/**
 * A part of a call that is judged separately: the whole call, a command of its script, or an
 * unreadable script.
 */
export type JudgedPart =
  | ScriptPart
  | { readonly kind: 'call'; readonly source: string }
  | { readonly kind: 'unreadable'; readonly source: string; readonly fault: string };

/** The call that contains a part, while it is judged. */
export class JudgedCall {
  /** The budget of all matchers together. */
  readonly effort = new Effort();
  private readonly searched = new Map<LinearRegex, SearchResult>();
  private json: string | undefined;
  private strings: readonly string[] | undefined;
  private named: readonly string[] | undefined;

  /** @param script the script, if the call runs one */
  constructor(
    readonly call: PermissionCall,
    readonly script?: string,
  ) {}

  /** The input as canonical JSON. */
  get inputJson(): string {
    return (this.json ??= canonicalJson(this.call.tool_input));
  }

  /** The texts of the input at any depth; the first ones, if there are more than `MAX_TEXTS`. */
  get texts(): readonly string[] {
    return (this.strings ??= textsIn(this.call.tool_input));
  }

  /** Searches in the script, once for all of its parts. */
  findsInScript(regex: LinearRegex): SearchResult {
    if (this.script === undefined) return false;
    const known = this.searched.get(regex);
    if (known !== undefined) return known;
    const found = regex.finds(this.script, this.effort);
    this.searched.set(regex, found);
    return found;
  }

  /** The paths of the input; for the tool `glob`, its pattern is also a path. */
  get paths(): readonly string[] {
    return (this.named ??= pathsOf(this.call));
  }
}

function textsIn(value: unknown, found: string[] = []): string[] {
  if (found.length > MAX_TEXTS) return found;
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) textsIn(item, found);
  return found;
}

function pathsOf({ tool_name, tool_input }: PermissionCall): string[] {
  const paths = findPathInputs(tool_input);
  const { pattern } = tool_input;
  return tool_name === 'glob' && typeof pattern === 'string' ? [...paths, pattern] : paths;
}
