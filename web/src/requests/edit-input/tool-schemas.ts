import { useEffect, useState } from 'react';
import { client } from '../../session/client';

type Schema = Readonly<Record<string, unknown>>;

/** Asked for once: tools of a server that runs seldom change. */
let schemas: Promise<ReadonlyMap<string, Schema>> | undefined;

/** The JSON Schema of a tool's input; null: there is none; undefined: it is not known yet. */
export function useSchemaOf(tool: string): Schema | null | undefined {
  const [schema, setSchema] = useState<Schema | null>();
  useEffect(() => {
    let isHere = true;
    void load().then((all) => isHere && setSchema(all.get(tool) ?? null));
    return () => {
      isHere = false;
    };
  }, [tool]);
  return schema;
}

async function load(): Promise<ReadonlyMap<string, Schema>> {
  schemas ??= client.tools
    .list()
    .then(({ items }) => new Map(items.map(({ name, input_schema }) => [name, input_schema])));
  try {
    return await schemas;
  } catch {
    // JSON needs no schema.
    schemas = undefined;
    return new Map();
  }
}
