import type { CardRequest } from '../request';
import { findInexact, parseObject } from '../../text/json';

/** A changed input; null: what is written there is none, or not one that can be sent. */
export interface Edited {
  readonly input: Readonly<Record<string, unknown>> | null;
}

export function readEdited(json: string): Edited {
  return { input: findInexact(json) === undefined ? (parseObject(json) ?? null) : null };
}

/** Name under which the text of an input that is being changed is kept. */
export function inputName({ id }: CardRequest): string {
  return `input ${id}`;
}
