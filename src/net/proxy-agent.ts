import type { ClientRequest } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';

type Target = Parameters<HttpsProxyAgent<string>['connect']>[1];
type Connection = Awaited<ReturnType<HttpsProxyAgent<string>['connect']>>;

/**
 * A proxy that can't be reached or opens no tunnel. The message names it, without user and
 * password. It has no cause, since callers show the last one.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** Connects through an HTTP proxy, by CONNECT. */
export class ProxyAgent extends HttpsProxyAgent<string> {
  /** @throws ProxyError also for an answer of the proxy, which is none of the server behind it */
  override async connect(request: ClientRequest, target: Target): Promise<Connection> {
    let status: number | undefined;
    request.once('proxyConnect', (answer: { statusCode: number }) => (status = answer.statusCode));
    const connection = await super.connect(request, target).catch((error: unknown) => {
      const { message, code } = error as NodeJS.ErrnoException;
      throw new ProxyError(`${this.named} can't be reached: ${message || code}`, code);
    });
    if (status === 200) return connection;
    connection.destroy();
    throw new ProxyError(
      `${this.named} refuses the connection to ${target.host}:${target.port} (${status})`,
    );
  }

  /**
   * By the request alone. For one without a protocol the base class looks at the stack, which is
   * another one when a connection is kept: it would never be used again.
   */
  override isSecureEndpoint(options?: Parameters<HttpsProxyAgent<string>['isSecureEndpoint']>[0]) {
    return options ? options.protocol !== 'http:' : super.isSecureEndpoint();
  }

  private get named(): string {
    return `the proxy ${this.proxy.origin}`;
  }
}
