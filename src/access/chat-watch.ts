import { Injectable } from '@nestjs/common';
import {
  EMPTY,
  NEVER,
  catchError,
  exhaustMap,
  filter,
  from,
  interval,
  map,
  take,
  takeWhile,
} from 'rxjs';
import type { Observable } from 'rxjs';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { ChatAccess } from './chat-access.js';

/** Tells open streams when their reader no longer sees the chat. */
@Injectable()
export class ChatWatch {
  constructor(
    private readonly access: ChatAccess,
    private readonly config: Config,
  ) {}

  /** Emits then; looks at each heartbeat. Its owner and admins always see a chat. */
  untilHidden(
    caller: Principal,
    { chat_id, chat_uid }: Pick<InteractionRow, 'chat_id' | 'chat_uid'>,
  ): Observable<void> {
    if (caller.scopes.has('admin')) return NEVER;
    return interval(this.config.heartbeatMs).pipe(
      exhaustMap(() => this.look(caller, chat_id)),
      takeWhile((chat) => chat?.owner !== caller.user_id),
      filter((chat) => chat?.uid !== chat_uid),
      take(1),
      map(() => undefined),
    );
  }

  /** Emits nothing while the store is unavailable. */
  private look(caller: Principal, chatId: string): Observable<ChatRow | undefined> {
    return from(this.access.findChat(caller, chatId)).pipe(catchError(() => EMPTY));
  }
}
