import { DiscoveryService } from '@nestjs/core';
import type { OwnedCall } from '../matching/permission-call.js';
import type { Decision } from '../../protocol/wire/rule.js';

/** A tool call before it is executed, and the tenant, user, chat and agent that it is for. */
export type CallToJudge = Readonly<OwnedCall>;

export interface Opinion {
  readonly decision: Decision;
  /** A sentence for people, who may have to decide by it. */
  readonly reason: string;
}

/**
 * A permission rule in code. Every call is put to every judge, besides the rules: the strictest of
 * `deny`, `ask` and `allow` counts, but `allow` only where no rule covers the call. A judge that
 * fails, or takes longer than 10 s, denies.
 *
 * A judge decides on calls, not on the files that `grep` or `glob` list.
 */
export abstract class PermissionJudge {
  /** For people: it is in the reason and the trace of a verdict. */
  abstract readonly name: string;
  /** Undefined: no opinion. */
  abstract judge(
    call: CallToJudge,
  ): Promise<Opinion | undefined | void> | Opinion | undefined | void;
}

/** Marks a provider that extends `PermissionJudge` as one that is asked about each call. */
export const JudgeProvider = DiscoveryService.createDecorator();
