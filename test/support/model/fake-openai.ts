import {
  FakeModel,
  type FakeAnswer as Answer,
  type FakeRequest,
  type FakeStep,
} from './fake-model.js';
import { violationOf } from './fake-openai-rules.js';
import { stepsOf, type FakeTurn } from './fake-openai-turn.js';

/** Models of this name get their thoughts back. */
const THOUGHTS = ['reasoning_content'];

export type FakeAnswer = Answer<FakeTurn>;

/** An OpenAI-compatible server. */
export class FakeOpenAi extends FakeModel<FakeTurn> {
  protected readonly path = '/v1/chat/completions';

  static start(): Promise<FakeOpenAi> {
    return new FakeOpenAi({ text: 'Hello from the fake model.' }).listen();
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  protected override violationOf({ body }: FakeRequest): string | undefined {
    return violationOf(body, String(body.model).startsWith('thinker') ? THOUGHTS : []);
  }

  protected override refusal(message: string): object {
    return { error: { message, type: 'invalid_request_error', param: null, code: null } };
  }

  protected override steps(turn: FakeTurn): readonly FakeStep[] {
    return stepsOf(turn, () => `call_${++this.ids}`);
  }
}
