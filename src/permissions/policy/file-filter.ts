import type { PermissionCall } from '../matching/permission-call.js';
import type { PermissionPolicy } from './permission-policy.js';
import type { Verdict } from './verdict.js';

export interface FileFilterOptions {
  /** The tool call that runs; it is already allowed. */
  readonly call: PermissionCall;
  /** Names of the tools that could be given the file instead: `read` for its content. */
  readonly tool_names: readonly string[];
  readonly now: Date;
}

/** True for each file that a call may show. */
export type ShownFiles = Pick<FileFilter, 'shows'>;

/**
 * Decides which files a call may show that it does not name, such as the results of a search. A
 * file is hidden if the rules deny it to one of the tools, or if they ask about it. Exception: a
 * rule that asks hides no file if it is the rule that decided about the call itself, because that
 * call was then approved.
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

  /** @param path relative to the workspace, without symbolic links on the way */
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
