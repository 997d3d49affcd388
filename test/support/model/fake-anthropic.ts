import { violationOfMessage } from './fake-anthropic-rules.js';
import { messageSteps, type FakeMessage } from './fake-anthropic-turn.js';
import { FakeModel, type FakeRequest, type FakeStep } from './fake-model.js';

/** A server that speaks Anthropic's Messages API. */
export class FakeAnthropic extends FakeModel<FakeMessage> {
  protected readonly path = '/v1/messages';

  static start(): Promise<FakeAnthropic> {
    return new FakeAnthropic({ text: 'Hello from the fake model.' }).listen();
  }

  get baseUrl(): string {
    return this.origin;
  }

  protected override violationOf({ body, headers }: FakeRequest): string | undefined {
    if (!headers['anthropic-version']) return 'anthropic-version: header is required';
    return violationOfMessage(body);
  }

  protected override refusal(message: string): object {
    return { type: 'error', error: { type: 'invalid_request_error', message } };
  }

  protected override steps(turn: FakeMessage): readonly FakeStep[] {
    return messageSteps(turn, () => ++this.ids);
  }
}
