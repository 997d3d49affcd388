import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { describeAnsweredError } from './reading/answered-error.js';
import { CallWatch } from './http/call-watch.js';
import { describeProblem, hideSecrets } from './reading/describe-problem.js';
import { callResult, resultOutput } from './reading/result-output.js';
import { StdioTransport } from './process/stdio-transport.js';
import { SaidLines } from './process/said-lines.js';
import type { ServerSettings } from './server-settings.js';
import type { Cut } from '../kernel/text/cut-text.js';
import type { ToolOutput } from '../tools/core/tool-output.js';
import type { ToolServer } from '../tools/core/tool-source.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { traceHeaders } from '../net/outgoing-trace.js';
import { MAX_MESSAGE_BYTES } from './http/message-size.js';
import { HttpTransport } from './http/http-transport.js';

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Shows the progress of the call to people. */
  readonly output: (text: string) => void;
  /** Defined by `ToolContext`. */
  readonly cut: Cut;
  /** The call may be sent again if it is unknown whether the server has begun it. */
  readonly mayRepeat: boolean;
}

/** Called with the current tools of a server; answers the problems of some of them, or null. */
export type OnTools = (tools: readonly unknown[]) => Promise<string | null>;

/** `MCP_START_TIMEOUT_MS` by default. */
const START_TIMEOUT_MS = 60_000;
/** Timeout of the list of tools when a server reports a change, in milliseconds. */
const LIST_TIMEOUT_MS = 30_000;
/** The executor has its own timeout for calls; the SDK requires one too. */
const NO_TIMEOUT = 2 ** 31 - 1;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
const MAX_PAGES = 100;
/** Maximum number of tools listed from all pages; more could not all be offered. */
const MAX_LISTED = 1_000;
/**
 * Minimum interval in milliseconds between two refreshes, for a server that reports changes all the
 * time.
 */
const REFRESH_PAUSE_MS = 1_000;

const EFFECT_UNKNOWN = 'Whether the call had an effect is unknown.';

/** The SDK would close the connection for the sake of an invalid result. */
const anyResult = z.looseObject({});

const toolList = z.looseObject({
  tools: z.array(z.unknown()).default([]),
  nextCursor: z.string().optional(),
});

/**
 * The connection to one MCP server: connects, waits until the connection is lost, and reconnects.
 */
export class McpConnection {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private client: Client | undefined;
  private first: Promise<boolean> | undefined;
  private status: Omit<ToolServer, 'name' | 'tools'>;
  private wakeLost: () => void = () => {};
  /** The last error of the connection: the reason, if it closes next. */
  private lastError: Error | undefined;
  private isRefreshing = false;
  private hasChanged = false;
  /** The end of the last offer. Lists are offered in their order, so that the newest one counts. */
  private offering: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly settings: ServerSettings,
    private readonly onTools: OnTools,
    /** Time to answer and to list the tools, from the start of a program on, in milliseconds. */
    private readonly startTimeoutMs = START_TIMEOUT_MS,
  ) {
    this.logger = new Logger(`MCP ${settings.name}`);
    this.status = { state: 'connecting', problem: null, since: new Date().toISOString() };
  }

  get name(): string {
    return this.settings.name;
  }

  /** True if the annotations of its tools are believed. */
  get isTrusted(): boolean {
    return this.settings.trust;
  }

  get state(): Omit<ToolServer, 'name' | 'tools'> {
    return this.status;
  }

  /**
   * Resolves after the first attempt, successful or not; then continues in the background until it
   * is stopped.
   */
  async start(): Promise<void> {
    this.first = this.connect();
    void this.lookAfter(await this.first);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeLost();
    await Promise.all([this.first, this.client?.close().catch(() => {})]);
  }

  /**
   * Calls a tool of the server.
   * @throws Error with a message for the model
   */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutput> {
    const result = callResult.safeParse(await this.request(name, args, options));
    if (!result.success) throw this.unreadable(z.prettifyError(result.error));
    const output = resultOutput(result.data);
    if (result.data.isError) throw new Error(output.text || 'the server gives no reason');
    return output;
  }

  private async request(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<unknown> {
    const client = this.client;
    if (!client) throw new Error(this.describeAway());
    const watch = new CallWatch();
    try {
      return await send(client, { name, arguments: args }, options, watch);
    } catch (error) {
      if (options.signal.aborted) throw error;
      if (watch.failure) throw this.brokenOff(watch.failure, options.cut);
      if (!isSessionGone(error)) throw this.explain(error, client, options.cut);
      await this.lose(client, 'it has forgotten the session');
      if (!this.client) await this.connect();
      // A server may have acted before it answered so (I4).
      if (!options.mayRepeat) throw this.answeredWith(error, options.cut);
      if (!this.client) throw new Error(this.describeAway(), { cause: error });
      return send(this.client, { name, arguments: args }, options, new CallWatch());
    }
  }

  private explain(error: unknown, client: Client, cut: Cut): Error {
    // Without a transport it is the SDK that made the error, when the connection closed.
    if (error instanceof McpError && client.transport)
      return new Error(describeAnsweredError(error), { cause: error });
    if (error instanceof StreamableHTTPError) return this.answeredWith(error, cut);
    if (isGarbage(error)) return this.unreadable('it is no message of the protocol');
    const why = describeProblem(this.lastError ?? error, this.settings, cut);
    void this.lose(client, why);
    return new Error(
      `The MCP server ${this.name} was lost while the call ran (${why}). ${EFFECT_UNKNOWN} It is being connected again.`,
      { cause: error },
    );
  }

  private answeredWith(cause: StreamableHTTPError, cut: Cut): Error {
    const said = describeProblem(cause, this.settings, cut);
    return new Error(
      `The MCP server ${this.name} answered with an error: ${said}. ${EFFECT_UNKNOWN}`,
      { cause },
    );
  }

  /** The connection goes on: only the answer to this call has ended. */
  private brokenOff(cause: Error, cut: Cut): Error {
    const why = describeProblem(cause, this.settings, cut);
    return new Error(
      `The MCP server ${this.name} did not answer the call to its end: ${why}. ${EFFECT_UNKNOWN}`,
      { cause },
    );
  }

  /** The connection goes on: only the answer to this call is malformed. */
  private unreadable(fault: string): Error {
    return new Error(
      `The MCP server ${this.name} sent an answer that can't be read: ${fault}. ${EFFECT_UNKNOWN}`,
    );
  }

  private describeAway(): string {
    const { problem } = this.status;
    return `The MCP server ${this.name} is not available${problem ? `: ${problem}` : ''}. It is being connected again; try later, or do without it.`;
  }

  private async lookAfter(isConnected: boolean): Promise<void> {
    let connected = isConnected;
    for (let wait = FIRST_RETRY_MS; !this.stopping.signal.aborted;) {
      if (connected) {
        await this.untilLost();
        wait = FIRST_RETRY_MS;
      }
      await delay(wait, undefined, { signal: this.stopping.signal, ref: false }).catch(() => {});
      if (this.stopping.signal.aborted) return;
      wait = Math.min(wait * 2, LAST_RETRY_MS);
      connected = this.client !== undefined || (await this.connect());
    }
  }

  private untilLost(): Promise<void> {
    if (!this.client) return Promise.resolve();
    return new Promise((resolve) => {
      this.wakeLost = resolve;
    });
  }

  private async connect(): Promise<boolean> {
    const client = new Client({ name: 'parley', version: '1' }, { capabilities: {} });
    this.lastError = undefined;
    client.onerror = (error) => this.note(error);
    const timeout = this.startTimeoutMs;
    const inTime = AbortSignal.timeout(timeout);
    try {
      const transport = makeTransport(this.settings, (said) => this.logger.debug(said));
      await new CallWatch().watch(this.stopping.signal, (signal) =>
        client.connect(transport, { timeout, signal }),
      );
      client.onclose = () => void this.lose(client, this.describeClose());
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.refreshSoon());
      this.client = client;
      await this.refresh(client, inTime);
      return true;
    } catch (error) {
      this.client = undefined;
      await client.close().catch(() => {});
      this.becomeUnavailable(describeProblem(error, this.settings));
      return false;
    }
  }

  /** Debounce: one refresh at a time, and one more for all changes reported meanwhile. */
  private async refreshSoon(): Promise<void> {
    this.hasChanged = true;
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      while (this.hasChanged && this.client) {
        this.hasChanged = false;
        await this.refresh(this.client, AbortSignal.timeout(LIST_TIMEOUT_MS));
        await delay(REFRESH_PAUSE_MS, undefined, { signal: this.stopping.signal, ref: false });
      }
    } finally {
      this.isRefreshing = false;
    }
  }

  /** Refreshes the tools that the server offers. */
  private async refresh(client: Client, signal: AbortSignal): Promise<void> {
    const tools = await listTools(client, signal);
    const offered = this.offering.then(() => this.onTools(tools));
    this.offering = offered.catch(() => {});
    const problem = await offered;
    if (problem !== null) this.logger.warn(problem);
    this.become('ready', problem);
  }

  private async lose(client: Client, why: string): Promise<void> {
    if (this.client !== client) return;
    this.client = undefined;
    if (!this.stopping.signal.aborted) this.becomeUnavailable(why);
    await client.close().catch(() => {});
    this.wakeLost();
  }

  private note(error: Error): void {
    if (error.name === 'AbortError') return; // a request that is over
    const problem = describeProblem(error, this.settings);
    this.logger.debug(problem);
    if (isGarbage(error)) CallWatch.current?.noteFault();
    else this.lastError = error; // invalid messages do not close a connection
  }

  private describeClose(): string {
    const error = this.lastError;
    return error ? describeProblem(error, this.settings) : 'it closed the connection';
  }

  private becomeUnavailable(why: string): void {
    if (this.status.state !== 'unavailable' || this.status.problem !== why)
      this.logger.warn(`Not available: ${why}. It is tried again.`);
    this.become('unavailable', why);
  }

  private become(state: ToolServer['state'], problem: string | null): void {
    const since = state === this.status.state ? this.status.since : new Date().toISOString();
    this.status = { state, problem, since };
  }
}

function send(
  client: Client,
  params: { name: string; arguments: Readonly<Record<string, unknown>> },
  { signal: given, output }: CallOptions,
  watch: CallWatch,
): Promise<unknown> {
  const onprogress = (progress: Progress): void => output(`${describeProgress(progress)}\n`);
  return watch.watch(given, (signal) =>
    client.request({ method: 'tools/call', params: { ...params, ...traceMeta() } }, anyResult, {
      ...{ signal, timeout: NO_TIMEOUT, onprogress },
    }),
  );
}

/** Servers that are no HTTP servers read the trace here. */
function traceMeta(): { readonly _meta?: { readonly traceparent?: string } } {
  const headers = traceHeaders();
  return headers.traceparent === undefined ? {} : { _meta: headers };
}

function describeProgress({ progress, total, message }: Progress): string {
  const of = total === undefined ? '' : ` of ${total}`;
  return `${message ?? 'progress'} (${progress}${of})`;
}

/**
 * Returns the tools as the server declares them, not validated yet. The list also ends at a cursor
 * that was there before.
 */
async function listTools(client: Client, given: AbortSignal): Promise<unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  while (cursors.size < MAX_PAGES && tools.length < MAX_LISTED) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await new CallWatch().watch(given, (signal) =>
      client.request({ method: 'tools/list', params }, toolList, { signal, timeout: NO_TIMEOUT }),
    );
    for (const tool of answer.tools) tools.push(tool);
    cursor = answer.nextCursor;
    if (!cursor || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return tools;
}

function isGarbage(error: unknown): error is Error {
  return error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError');
}

/** The protocol prescribes 404; some servers answer 400 with a message. */
function isSessionGone(error: unknown): error is StreamableHTTPError {
  if (!(error instanceof StreamableHTTPError)) return false;
  return error.code === 404 || (error.code === 400 && /session/i.test(error.message));
}

/**
 * Makes a transport that is not open yet.
 * @param onSaid is called with each line of a program's standard error
 */
function makeTransport(settings: ServerSettings, onSaid: (text: string) => void): Transport {
  if (settings.kind === 'http') return new HttpTransport(settings);
  const { command, args, env, cwd } = settings;
  const transport = new StdioTransport({
    command,
    args: [...args],
    env: { ...env },
    ...(cwd !== undefined && { cwd }),
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  const lines = new SaidLines((line) => onSaid(hideSecrets(line, settings)));
  transport.stderr?.on('data', (data: Buffer) => lines.push(data)).on('end', () => lines.end());
  return transport;
}
