import { Injectable } from '@nestjs/common';
import { Redaction } from '../guardrails/redaction/redaction.js';
import type { CreateChat, UpdateChat } from './chat-request.js';

/** Redacts what people send about chats: titles, system prompts, messages. */
@Injectable()
export class ChatRedaction {
  constructor(private readonly redaction: Redaction) {}

  /** Changes the body. */
  async of<B extends CreateChat | UpdateChat>(body: B): Promise<B> {
    const { settings } = body;
    const messages = 'messages' in body ? body.messages : undefined;
    const prompt = settings && (await this.redaction.of(settings, 'system_prompt')).system_prompt;
    return Object.assign(
      await this.redaction.of(body, 'title'),
      settings && { settings: Object.assign(settings, { system_prompt: prompt }) },
      messages && { messages: await this.redaction.ofMessages(messages) },
    );
  }
}
