import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../../access/chat-access.js';
import type { Principal } from '../../../auth/principal.js';
import { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { ProjectedStreams } from '../../base/projected-streams.js';
import { formatResponseId, parseResponseId } from '../ids.js';
import { Parts } from '../parts.js';
import { previousOf } from './response-metadata.js';

/** A response that there is: a part of an interaction. */
export interface KnownResponse {
  readonly row: InteractionRow;
  /** The last record before the part; 0: all of it. */
  readonly after: number;
  readonly previous_response_id: string | null;
}

/** Finds responses by their ids. */
@Injectable()
export class KnownResponses {
  constructor(
    private readonly access: ChatAccess,
    private readonly projected: ProjectedStreams,
  ) {}

  /**
   * @param field the field of the request that names it
   * @throws AppError `response_not_found` (404)
   */
  async find(caller: Principal, response_id: string, field?: string): Promise<KnownResponse> {
    const id = parseResponseId(response_id);
    if (!id) throw notFound(response_id, { field });
    const { interaction_id, after } = id;
    const row = await this.access
      .interactionById(caller, interaction_id)
      .catch((error: unknown) => {
        const isUnknown = error instanceof AppError && error.kind === 'not_found';
        throw isUnknown ? notFound(response_id, { field }) : error;
      });
    if (after === 0) return { row, after, previous_response_id: previousOf(row.metadata) };
    const parts = await this.partsOf(caller, row);
    if (parts.has(after)) return this.partOf(row, parts, after);
    const last = formatResponseId({ interaction_id, after: parts.last });
    throw notFound(response_id, { field, last });
  }

  /** The parts of the interaction so far. */
  async partsOf(caller: Principal, row: InteractionRow): Promise<Parts> {
    const parts = new Parts();
    await this.projected.catchUp(row, parts, caller);
    return parts;
  }

  /** The response that begins there. */
  partOf(row: InteractionRow, parts: Parts, after: number): KnownResponse {
    const before = parts.before(after);
    if (before === undefined) return { row, after, previous_response_id: previousOf(row.metadata) };
    const previous_response_id = formatResponseId({ interaction_id: row.id, after: before });
    return { row, after, previous_response_id };
  }
}

function notFound(
  id: string,
  { field, last }: { readonly field?: string | undefined; readonly last?: string },
): AppError {
  const hint =
    last === undefined ? 'or you don’t see it' : `the last of its interaction is ${last}`;
  const message = `There is no response ${id.slice(0, 100)}, ${hint}.`;
  const errors = field === undefined ? [] : [{ field, message }];
  return new AppError('not_found', 'response_not_found', message, { errors });
}
