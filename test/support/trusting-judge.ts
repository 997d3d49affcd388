import { ToolJudge } from '../../src/permissions/tool-judge.js';
import type { ToolVerdict } from '../../src/permissions/tool-judge.js';

/** Lets every call run. */
export class TrustingJudge extends ToolJudge {
  authorize(): Promise<ToolVerdict> {
    return Promise.resolve({ decision: 'allow', reason: 'Tests trust.' });
  }

  check(): Promise<ToolVerdict> {
    return this.authorize();
  }

  suggest(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  remember(): Promise<never> {
    return Promise.reject(new Error('nothing is remembered here'));
  }
}
