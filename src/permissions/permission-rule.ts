/** In the order in which they are looked at. */
export const SCOPES = ['user', 'session', 'agent', 'global'] as const;
export type RuleScope = (typeof SCOPES)[number];

export const DECISIONS = ['allow', 'deny', 'ask'] as const;
export type Decision = (typeof DECISIONS)[number];

/** What a rule is about. Those on commands see each simple command of a shell script by itself. */
export type Matcher =
  | {
      readonly type: 'tool';
      /** A glob over the tool's name. */
      readonly pattern: string;
      /** Only with exactly this input. */
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'category'; readonly category: string }
  | {
      readonly type: 'command_prefix';
      /** The first words of a command, such as `git log`. */
      readonly prefixes: readonly string[];
      /** The words are the whole command. */
      readonly exact?: boolean;
    }
  | {
      readonly type: 'regex';
      /** RE2 syntax. */
      readonly pattern: string;
      /** A glob: only for tools of that name. */
      readonly tool?: string;
    }
  | {
      readonly type: 'path';
      /** A glob, relative to the workspace. */
      readonly pattern: string;
      /** A glob: only for tools of that name. */
      readonly tool?: string;
    }
  | { readonly type: 'all' };

/** What a client may say about a rule. */
export interface RuleInput {
  readonly scope: RuleScope;
  /** The chat of a `session` rule, the agent type of an `agent` rule; else null. */
  readonly scope_id: string | null;
  /** Higher is looked at first; of equals, the older. */
  readonly priority: number;
  readonly decision: Decision;
  readonly matcher: Matcher;
  readonly description: string | null;
  /** ISO 8601; from then on it matches nothing. */
  readonly expires_at: string | null;
  /** How many executions it may decide. */
  readonly max_uses: number | null;
}

/** A rule as it is saved. */
export interface PermissionRule extends RuleInput {
  readonly id: string;
  /** ISO 8601; null for a rule of the file, which counts as older than any other. */
  readonly created_at: string | null;
  /** Executions that it decided; counted only where `max_uses` is set. */
  readonly uses: number;
}
