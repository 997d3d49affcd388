import { Effort } from '../../matching/effort.js';
import type { PermissionCall } from '../policy/permission-call.js';
import type { ScriptPart } from '../shell/script.js';
import { canonicalJson } from '../../kernel/json.js';
import { findPathInputs } from './path-inputs.js';

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
  private json: string | undefined;
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

  /** The paths of the input; for the tool `glob`, its pattern is also a path. */
  get paths(): readonly string[] {
    return (this.named ??= pathsOf(this.call));
  }
}

function pathsOf({ tool_name, tool_input }: PermissionCall): string[] {
  const paths = findPathInputs(tool_input);
  const { pattern } = tool_input;
  return tool_name === 'glob' && typeof pattern === 'string' ? [...paths, pattern] : paths;
}
