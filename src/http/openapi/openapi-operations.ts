import type { OpenAPIObject } from '@nestjs/swagger';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

/** All operations of the document, to be read or changed in place. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths)
    .flatMap((path) => [path.get, path.post, path.put, path.patch, path.delete])
    .filter((operation) => operation !== undefined);
}
