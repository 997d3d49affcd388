/**
 * Fails if docs/openapi.json is not a valid document: its structure, its references, its ids and
 * its examples.
 */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const PATH = 'docs/openapi.json';

const RULES = [
  'struct',
  'no-unresolved-refs',
  'spec-components-invalid-map-name',
  'spec-strict-refs',
  ...['no-duplicated-tag-names', 'operation-tag-defined'],
  ...['operation-operationId', 'operation-operationId-unique', 'operation-operationId-url-safe'],
  ...['no-identical-paths', 'path-declaration-must-exist', 'path-not-include-query'],
  ...['operation-parameters-unique', 'path-parameters-defined', 'security-defined'],
  ...[
    'no-enum-type-mismatch',
    'no-required-schema-properties-undefined',
    'no-schema-type-mismatch',
  ],
  ...['no-invalid-media-type-examples', 'no-invalid-parameter-examples'],
  ...['no-invalid-schema-examples', 'no-example-value-and-externalValue'],
];

/** The specification allows one of them; the validator does not look. */
function oneKindOfExample(node, { report, location }) {
  if (node.example === undefined || node.examples === undefined) return;
  report({
    message: 'It has both `example` and `examples`.',
    location: location.child('examples'),
  });
}

const exclusive = () => ({
  MediaType: oneKindOfExample,
  Parameter: oneKindOfExample,
  Header: oneKindOfExample,
});

const config = await createConfig({
  plugins: [{ id: 'own', rules: { oas3: { 'one-kind-of-example': exclusive } } }],
  rules: Object.fromEntries([...RULES, 'own/one-kind-of-example'].map((rule) => [rule, 'error'])),
});
const faults = await lintFromString({
  source: readFileSync(PATH, 'utf8'),
  absoluteRef: PATH,
  config,
});
for (const { ruleId, message, location } of faults) {
  console.error(`${PATH}${location[0]?.pointer ?? ''}: ${message} (${ruleId})`);
  process.exitCode = 1;
}
