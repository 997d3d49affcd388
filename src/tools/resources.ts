import { AppError } from '../kernel/app-error.js';

/** A class, as a value; its constructor may be private. */
export type ClassOf<T> = Function & { readonly prototype: T };

/** What the `resources` of an agent answered, for the tools that it calls: objects are found by their class, whichever kind of agent calls. */
export class Resources {
  /** @param value as it was answered; undefined: the agent has none */
  constructor(readonly value?: unknown) {}

  /**
   * It, or the one member of it, that is of this class.
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
