import { FileFilter } from '../../../src/permissions/policy/file-filter.js';
import { PermissionPolicy } from '../../../src/permissions/policy/permission-policy.js';
import { ToolJudge } from '../../../src/permissions/judges/tool-judge.js';
import type { JudgedCall, ToolVerdict } from '../../../src/permissions/judges/tool-judge.js';

/** Lets every call run. */
export class TrustingJudge extends ToolJudge {
  authorize(): Promise<ToolVerdict> {
    return Promise.resolve({ decision: 'allow', reason: 'Tests trust.' });
  }

  check(): Promise<ToolVerdict> {
    return this.authorize();
  }

  filterFiles(call: JudgedCall): Promise<FileFilter> {
    const { tool, tool_input } = call;
    const known = { tool_name: tool.name, tool_input };
    const rules = new PermissionPolicy({ operator: [], added: [] });
    return Promise.resolve(new FileFilter(rules, { call: known, tool_names: [], now: new Date() }));
  }

  suggest(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  wouldDecide(): Promise<boolean> {
    return Promise.resolve(false);
  }

  remember(): Promise<never> {
    return Promise.reject(new Error('nothing is remembered here'));
  }

  forget(): Promise<never> {
    return Promise.reject(new Error('nothing is remembered here'));
  }
}
