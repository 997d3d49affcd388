import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { proxyFor } from '../config/proxy-for.js';
import { Clock } from '../kernel/clock.js';
import { ProxyError } from '../net/proxy-agent.js';
import { readText, SocketFetch } from '../net/socket-fetch.js';
import type { SocketResponse } from '../net/socket-response.js';

const TIMEOUT_MS = 10_000;
/** Read of the answer to a delivery, so that its connection can be used again. */
const MAX_ANSWER_BYTES = 1024;

/** Sends one webhook. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly http: SocketFetch;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    const proxyUrl = proxyFor(config, config.webhookUrl?.reveal() ?? 'http://none');
    this.http = new SocketFetch({ ...(proxyUrl !== undefined && { proxyUrl }) });
  }

  onApplicationShutdown(): void {
    this.http.close();
  }

  /**
   * Undefined once the receiver has answered with a 2xx; otherwise the fault, without the URL.
   */
  async send(id: string, body: string, stopping: AbortSignal): Promise<string | undefined> {
    const timeout = new AbortController();
    const callOff = this.clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      return await this.post(id, body, AbortSignal.any([timeout.signal, stopping]));
    } catch (error) {
      if (timeout.signal.aborted) return `no answer within ${TIMEOUT_MS / 1000} s`;
      if (error instanceof ProxyError) return `not reached: ${error.message}`;
      const { code, name } = error as NodeJS.ErrnoException;
      return `not reached (${code ?? name})`;
    } finally {
      callOff();
    }
  }

  private async post(id: string, body: string, signal: AbortSignal): Promise<string | undefined> {
    const { webhookUrl, webhookSecret } = this.config;
    const at = Math.floor(this.clock.now().getTime() / 1000);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'parley',
      'x-parley-delivery': id,
      'x-parley-signature': signatureOf(body, { secret: webhookSecret!.reveal(), at }),
    };
    const url = webhookUrl!.reveal();
    const response = await this.http.fetch(url, { method: 'POST', headers, body, signal });
    if (response.status >= 300 && response.status < 400)
      return `answered ${response.status}; redirects are not followed`;
    if (!response.ok) return `answered ${response.status}`;
    await readText((response as SocketResponse).incoming, MAX_ANSWER_BYTES).catch(() => '');
    return undefined;
  }
}

/** The value of `x-parley-signature`. @param at unix time in seconds, of this attempt */
function signatureOf(body: string, { secret, at }: { secret: string; at: number }): string {
  const hmac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${hmac}`;
}
