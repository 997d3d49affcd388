import type { PermissionCall } from './permission-call.js';
import type { PermissionPolicy } from './permission-policy.js';
import type { Verdict } from './verdict.js';

export interface FileFilterOptions {
  /** The one that runs, and may. */
  readonly call: PermissionCall;
  /** What a file could be named to instead: `read` for what is in it. */
  readonly tool_names: readonly string[];
  readonly now: Date;
}

/**
 * Which files a call may show that it does not name, such as those that a search finds: none that the rules deny to one of the tools, and
 * none that they ask about, unless it is the rule that decided about the call itself, which then was agreed to.
 */
export class FileFilter {
  private readonly own: Verdict;
  private readonly isOpen: boolean;

  constructor(
    private readonly policy: PermissionPolicy,
    private readonly options: FileFilterOptions,
  ) {
    const { call, now } = options;
    this.isOpen = !policy.mayForbidFiles(call, now);
    this.own = policy.judge(call, now);
  }

  /** @param path relative to the workspace, without links on the way */
  shows(path: string): boolean {
    return this.isOpen || this.options.tool_names.every((name) => this.letsSee(name, path));
  }

  private letsSee(tool_name: string, path: string): boolean {
    const { call, now } = this.options;
    const named = { ...call, tool_name, tool_input: { path } };
    const { decision, rule } = this.policy.judge(named, now);
    switch (decision) {
      case 'allow':
        return true;
      case 'ask':
        return rule === this.own.rule;
      case 'deny':
        return false;
    }
  }
}
