import { Role, StreamResponse, Task, TaskState } from '@a2a-js/sdk';
import type { Artifact, Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import type { Client } from '@a2a-js/sdk/client';

export { StreamResponse, Task, TaskState } from '@a2a-js/sdk';
export type { Client } from '@a2a-js/sdk/client';

export const TRANSPORTS = ['JSONRPC', 'HTTP+JSON'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface ConnectOptions {
  readonly transport?: Transport;
  readonly agent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client that the card of the agent describes. */
export function connect(url: string, options: ConnectOptions = {}): Promise<Client> {
  const { transport = 'JSONRPC', agent = 'react', headers } = options;
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as object), ...headers } });
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
    ],
    preferredTransports: [transport],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(url, `/a2a/${agent}/.well-known/agent-card.json`);
}

export interface MessageOptions {
  readonly id?: string;
  readonly contextId?: string | undefined;
  readonly taskId?: string;
  readonly data?: readonly object[];
  readonly historyLength?: number;
  readonly acceptedOutputModes?: string[];
  readonly returnImmediately?: boolean;
}

let count = 0;

/** A message of the user; `data`: parts beside or in place of the text. */
export function message(
  text: string | undefined,
  options: MessageOptions = {},
): SendMessageRequest {
  const { id = `m-${process.pid}-${count++}`, contextId = '', taskId = '', data = [] } = options;
  const { historyLength, acceptedOutputModes = [], returnImmediately = false } = options;
  const texts = text === undefined ? [] : [part({ $case: 'text', value: text })];
  return {
    tenant: '',
    message: {
      ...{ messageId: id, contextId, taskId, role: Role.ROLE_USER, metadata: undefined },
      parts: [...texts, ...data.map((value) => part({ $case: 'data', value }))],
      ...{ extensions: [], referenceTaskIds: [] },
    },
    configuration: {
      ...{ acceptedOutputModes, returnImmediately, historyLength },
      taskPushNotificationConfig: undefined,
    },
    metadata: undefined,
  };
}

function part(content: NonNullable<Part['content']>): Part {
  return { content, metadata: undefined, filename: '', mediaType: '' };
}

/** The task that updates make, as a client keeps it. */
export class FoldedTask {
  task: Task | undefined;
  /** The states in the order of the stream. */
  readonly states: string[] = [];
  readonly kinds: string[] = [];

  take({ payload }: StreamResponse): this {
    this.kinds.push(payload?.$case ?? 'none');
    switch (payload?.$case) {
      case 'task':
        this.task = structuredClone(payload.value);
        break;
      case 'statusUpdate':
        this.known.status = payload.value.status;
        this.known.metadata = { ...this.known.metadata, ...payload.value.metadata };
        break;
      case 'artifactUpdate':
        this.change(payload.value.artifact!, payload.value.append);
        return this;
      default:
        throw new Error(`No update: ${JSON.stringify(payload)}`);
    }
    this.states.push(stateOf(this.known));
    return this;
  }

  async takeAll(stream: AsyncIterable<StreamResponse>): Promise<this> {
    for await (const response of stream) this.take(response);
    return this;
  }

  private get known(): Task {
    if (!this.task) throw new Error('An update came before the task.');
    return this.task;
  }

  private change(artifact: Artifact, append: boolean): void {
    const { artifacts } = this.known;
    const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
    if (at < 0 && append) throw new Error(`Nothing to append to: ${artifact.artifactId}`);
    if (at < 0) artifacts.push(artifact);
    else if (append) artifacts[at]!.parts.push(...artifact.parts);
    else artifacts[at] = artifact;
  }
}

/** `COMPLETED`, … */
export function stateOf({ status }: Task): string {
  return TaskState[status!.state].replace('TASK_STATE_', '');
}

/** The texts of the artifacts, but for those that were taken back. */
export function textsOf({ artifacts }: Task): string[] {
  return artifacts.map(({ parts }) => textOf(parts)).filter((text) => text !== '');
}

export function textOf(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

/** The data of a message. */
export function dataOf(sent: Message | undefined): Record<string, unknown>[] {
  return (sent?.parts ?? []).flatMap(({ content }) =>
    content?.$case === 'data' ? [content.value as Record<string, unknown>] : [],
  );
}
