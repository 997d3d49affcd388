import { AppError } from '../../kernel/app-error.js';

/** A class, as a value; its constructor may be private. */
export type ClassOf<T> = Function & { readonly prototype: T };

/**
 * The value that the `resources` of an agent returned, for the tools that it calls. Objects are
 * found by their class, so that a tool does not depend on the kind of its agent.
 */
export class Resources {
  /** @param value the value returned; undefined: the agent has none */
  constructor(readonly value?: unknown) {}

  /**
   * Returns the value, or its only member, that is an instance of this class.
   * @throws AppError `ambiguous_resource`
   */
  find<T>(type: ClassOf<T>): T | undefined {
    const { value } = this;
    if (value instanceof type) return value as T;
    const [found, other] = Object.values(Object(value) as object).filter(
      (member): member is T => member instanceof type,
    );
    if (other === undefined) return found;
    throw new AppError(
      'unprocessable',
      'ambiguous_resource',
      `The agent has several resources that are a ${type.name}. Give each a class of its own.`,
    );
  }

  /** @throws AppError `no_resource`, `ambiguous_resource` */
  get<T>(type: ClassOf<T>): T {
    const found = this.find(type);
    if (found !== undefined) return found;
    throw new AppError(
      'unprocessable',
      'no_resource',
      `This tool needs a ${type.name}, and the agent that calls it has none. Call it from an agent whose \`resources\` answers one.`,
    );
  }
}
