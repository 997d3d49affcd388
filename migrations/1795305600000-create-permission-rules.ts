import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A rule's chat need not exist yet, so `scope_id` refers to nothing. The matcher comes back as it was written. */
export class CreatePermissionRules1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(RULES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE permission_rules;');
  }
}

const RULES = `
  CREATE TABLE permission_rules (
    id          text COLLATE "C" NOT NULL,
    scope       text NOT NULL,
    scope_id    text COLLATE "C",
    priority    integer NOT NULL,
    decision    text NOT NULL,
    matcher     json NOT NULL,
    description text,
    expires_at  timestamptz(3),
    max_uses    integer,
    created_at  timestamptz(3) NOT NULL,
    uses        integer NOT NULL DEFAULT 0,
    CONSTRAINT permission_rules_pk PRIMARY KEY (id),
    CONSTRAINT permission_rules_scope_known CHECK (scope IN ('user', 'session', 'agent', 'global')),
    CONSTRAINT permission_rules_scope_whole CHECK ((scope IN ('session', 'agent')) = (scope_id IS NOT NULL)),
    CONSTRAINT permission_rules_decision_known CHECK (decision IN ('allow', 'deny', 'ask'))
  );

  CREATE INDEX permission_rules_by_scope ON permission_rules (scope, scope_id);
`;
