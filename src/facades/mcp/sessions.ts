import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { AppError } from '../../kernel/app-error.js';
import { BoundedMap } from '../../kernel/bounded-map.js';

const MAX_ENDED = 10_000;
const ID = /^([fn])\.([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{22}$/;

/** A client of a revision that has sessions. */
export interface Session {
  readonly id: string;
  /** It shows forms to its user. */
  readonly takesForms: boolean;
}

/**
 * The id of a session is all of it: what its client can do, and a digest of its user, so that any
 * process knows it, also after a restart. It gives no right, as each request has a credential.
 */
@Injectable()
export class Sessions {
  /**
   * Ids of sessions that this process has ended. Other processes still know them, but their
   * clients don't use them again.
   */
  private readonly ended = new BoundedMap<string, true>(MAX_ENDED);

  begin(caller: Principal, forms: boolean): Session {
    const random = randomBytes(16).toString('base64url');
    return { id: `${forms ? 'f' : 'n'}.${digestOf(caller)}.${random}`, takesForms: forms };
  }

  /** @throws AppError `invalid_header` (400), `session_not_found` (404), also for another user's */
  require(caller: Principal, id: string | undefined): Session {
    if (id === undefined) throw missing();
    const [, forms, digest] = ID.exec(id) ?? [];
    if (digest !== digestOf(caller) || this.ended.get(id)) throw notFound();
    return { id, takesForms: forms === 'f' };
  }

  /** @throws AppError as `require` */
  end(caller: Principal, id: string | undefined): void {
    this.ended.set(this.require(caller, id).id, true);
  }
}

function digestOf({ tenant_id, user_id }: Principal): string {
  const text = JSON.stringify([tenant_id, user_id]);
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

function missing(): AppError {
  const message = 'The header Mcp-Session-Id is missing. Begin a session with `initialize`.';
  return new AppError('invalid', 'invalid_header', message);
}

function notFound(): AppError {
  const message = 'There is no such session. Begin another one with `initialize`.';
  return new AppError('not_found', 'session_not_found', message);
}
