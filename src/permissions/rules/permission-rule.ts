/** The scopes, in order of evaluation. */
export const SCOPES = ['user', 'session', 'agent', 'global'] as const;
export type RuleScope = (typeof SCOPES)[number];

export const DECISIONS = ['allow', 'deny', 'ask'] as const;
export type Decision = (typeof DECISIONS)[number];

/**
 * The calls that a rule matches. Matchers on commands are applied to each simple command of a shell
 * script.
 */
export type Matcher =
  | {
      readonly type: 'tool';
      /** A glob for the tool's name. */
      readonly pattern: string;
      /** Matches only exactly this input. */
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'category'; readonly category: string }
  | {
      readonly type: 'command_prefix';
      /** The first words of a command, such as `git log`. */
      readonly prefixes: readonly string[];
      /** If true, the words have to be the whole command. */
      readonly exact?: boolean;
      /**
       * If true, a rule that allows covers whatever follows the words, also for programs that could
       * run or write anything then.
       */
      readonly open?: boolean;
    }
  | {
      readonly type: 'regex';
      /** RE2 syntax. */
      readonly pattern: string;
      /** A glob: restricts the rule to tools of that name. */
      readonly tool?: string;
    }
  | {
      readonly type: 'path';
      /** A glob, relative to the workspace. */
      readonly pattern: string;
      /** A glob: restricts the rule to tools of that name. */
      readonly tool?: string;
    }
  | { readonly type: 'all' };

/** The fields of a rule that a client may set. */
export interface RuleInput {
  readonly scope: RuleScope;
  /**
   * The user of a `user` rule (null in a file: every user), the chat of a `session` rule, the agent
   * type of an `agent` rule; otherwise null.
   */
  readonly scope_id: string | null;
  /** Rules of higher priority are evaluated first; for equal priorities, the older rule. */
  readonly priority: number;
  readonly decision: Decision;
  readonly matcher: Matcher;
  readonly description: string | null;
  /** ISO 8601; the rule matches nothing from this time on. */
  readonly expires_at: string | null;
  /** Maximum number of executions that the rule may decide. */
  readonly max_uses: number | null;
}

/** A rule as it is saved. */
export interface PermissionRule extends RuleInput {
  readonly id: string;
  /** ISO 8601; null for a rule of the file, which counts as older than any other rule. */
  readonly created_at: string | null;
  /** Number of executions that the rule decided; counted only if `max_uses` is set. */
  readonly uses: number;
}

/** A rule as stores keep it, with what clients never see. */
export interface OwnedRule extends PermissionRule {
  readonly tenant_id: string;
  /** Of a `session` rule; otherwise null. */
  readonly chat_uid: string | null;
}
