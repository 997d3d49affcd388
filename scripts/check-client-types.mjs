// Generates the types of a client from docs/openapi.json, and compiles a use of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const document = new URL('../docs/openapi.json', import.meta.url);
const folder = new URL('../node_modules/.cache/client-types/', import.meta.url);
const generated = new URL('api.ts', folder);
const use = new URL('use.ts', folder);

/** What a client does first: a typed body, a union of events, and every problem the same. */
const USE = `import type { components, operations } from './api.js';

type Start = operations['interactions_start'];
type Event = components['schemas']['StreamEvent'];

export const body: Start['requestBody']['content']['application/json'] = { user_message: 'Hi' };
export const status: Start['responses'][202]['content']['application/json']['status'] = 'RUNNING';
export const refusal = (problem: components['schemas']['Problem']): string => problem.type;

export function textOf(event: Event): string {
  switch (event.type) {
    case 'TEXT_DELTA':
      return event.delta;
    case 'ANSWER':
      return event.content;
    case 'APPROVAL_REQUIRED':
      return event.approval_id;
    default:
      return event.interaction_id;
  }
}
`;

const api = await openapiTypes(JSON.parse(readFileSync(document, 'utf8')));
mkdirSync(folder, { recursive: true });
writeFileSync(generated, astToString(api));
writeFileSync(use, USE);

const options = { strict: true, noEmit: true, types: [], module: ts.ModuleKind.NodeNext };
const program = ts.createProgram([fileURLToPath(use)], options);
const faults = ts.getPreEmitDiagnostics(program);
const host = {
  getCurrentDirectory: () => '.',
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};
if (faults.length > 0) {
  console.error(ts.formatDiagnostics(faults, host));
  process.exitCode = 1;
}
