import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';

type Schema = Record<string, unknown> & { $ref?: string; properties?: Record<string, Schema> };
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const JSON_TYPE = 'application/json';

/** Compares answers with the schemas that the OpenAPI document has for them. */
class DocumentedAnswers {
  private readonly ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly operations: readonly (readonly [RegExp, string, Operation])[];

  constructor({ paths, components }: Document) {
    this.ajv.addSchema({ $id: 'api', components: { schemas: closed(components.schemas) } });
    this.operations = Object.entries(paths).flatMap(([path, methods]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return Object.entries(methods).map(([method, each]) => [pattern, method, each] as const);
    });
  }

  /** @throws Error if the body of a success is not as documented */
  require(method: string, path: string, status: number, body: unknown): void {
    const schema = this.schemaOf(method, path.split('?', 1)[0]!, status);
    if (!schema || typeof body !== 'object') return;
    const fits = this.compiled(schema);
    if (fits(body)) return;
    const faults = JSON.stringify(fits.errors);
    throw new Error(`${method} ${path} answers ${status} otherwise than documented: ${faults}`);
  }

  private schemaOf(method: string, path: string, status: number): Schema | undefined {
    const [, , operation] =
      this.operations.find(
        ([pattern, verb]) => verb === method.toLowerCase() && pattern.test(path),
      ) ?? [];
    return operation?.responses[status]?.content?.[JSON_TYPE]?.schema;
  }

  private compiled(schema: Schema): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const known = this.validators.get(text);
    if (known) return known;
    const validate = this.ajv.compile(JSON.parse(text) as Schema);
    this.validators.set(text, validate);
    return validate;
  }
}

/** Objects have no fields that are not documented; those of problems may. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  ) as Schema;
  if (copy.properties && !('additionalProperties' in copy) && !('instance' in copy.properties))
    copy['additionalProperties'] = false;
  return copy as T;
}

let answers: DocumentedAnswers | undefined;

/** Of the native API; the bodies of failures are checked for the fields of problems elsewhere. */
export function documentedAnswers(): DocumentedAnswers {
  answers ??= new DocumentedAnswers(
    JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document,
  );
  return answers;
}
