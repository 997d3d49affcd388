import { z } from 'zod';
import { agentRecords } from './records/agent-records.js';
import { modelRecords } from './records/model-records.js';
import { requestRecords } from './records/request-records.js';
import { runRecords } from './records/run-records.js';
import { toolRecords } from './records/tool-records.js';

let built: ReturnType<typeof build> | undefined;
let texts: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * The schema of every durable record, by type: `body` is the event that clients get, `hidden` is
 * for the journal only. Types, import, OpenAPI and docs/events.md are derived from it. Built on
 * first use: a start of the server needs none of it.
 */
export function records(): ReturnType<typeof build> {
  built ??= build();
  return built;
}

function build() {
  const { INTERACTION_STARTED, ...others } = runRecords();
  return {
    INTERACTION_STARTED,
    ...modelRecords(),
    ...toolRecords(),
    ...requestRecords(),
    ...agentRecords(),
    ...others,
  };
}

/** The fields that are texts in every record of a type; empty for a type that is not known. */
export function textsOf(type: string): readonly string[] {
  texts ??= findTexts();
  return texts.get(type) ?? [];
}

function findTexts(): ReadonlyMap<string, readonly string[]> {
  const schemas = Object.entries<{ readonly body: z.ZodObject }>(records());
  return new Map(
    schemas.map(([type, { body }]) => [
      type,
      Object.keys(body.shape).filter((field) => body.shape[field] instanceof z.ZodString),
    ]),
  );
}
