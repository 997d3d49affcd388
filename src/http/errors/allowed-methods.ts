import type { Application } from 'express';

/** A layer of Express's router, as far as its types don't tell. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}

/** The methods of the routes at a path, as in the header `Allow`; empty without a route. */
export function allowedMethods(app: Application, path: string): string[] {
  const layers = app.router.stack as unknown as readonly Layer[];
  const methods = layers.flatMap((layer) =>
    layer.route && layer.match(path) ? Object.keys(layer.route.methods) : [],
  );
  if (methods.length === 0) return [];
  const implied = methods.includes('get') ? ['head', 'options'] : ['options'];
  return [...new Set([...methods, ...implied])].map((method) => method.toUpperCase()).toSorted();
}
