import { FakeAnthropic } from './fake-anthropic.js';
import type { FakeRequest } from './fake-model.js';
import { violationOf } from './fake-openai-rules.js';
import { FakeOpenAi } from './fake-openai.js';
import { VENDORS, violationOfSchemas, type VendorName, type VendorRules } from './vendor-rules.js';

/**
 * An OpenAI-compatible server with the demands of one vendor. What it refuses is in `refused`; what
 * OpenAI's own API would refuse, too, is in `violations`.
 */
export class FakeVendor extends FakeOpenAi {
  readonly refused: string[] = [];

  private constructor(private readonly rules: VendorRules) {
    super({ text: 'Hello from the fake model.' });
  }

  static open(vendor: VendorName): Promise<FakeVendor> {
    return new FakeVendor(VENDORS[vendor]).listen();
  }

  protected override refusalOf({ body }: FakeRequest): string | undefined {
    const message = this.rules.violationOf(body);
    if (message !== undefined) this.refused.push(message);
    return message;
  }

  protected override violationOf({ body }: FakeRequest): string | undefined {
    return violationOf(body, this.rules.fields);
  }

  protected override refusal(message: string): object {
    return this.rules.refusal(message);
  }
}

/** Anthropic's API, as strict with the schemas of tools and with signatures as the vendor. */
export class StrictAnthropic extends FakeAnthropic {
  readonly refused: string[] = [];

  static open(): Promise<StrictAnthropic> {
    return new StrictAnthropic({ text: 'Hello from the fake model.' }).listen();
  }

  protected override refusalOf({ body }: FakeRequest): string | undefined {
    const message = violationOfSchemas(body);
    if (message !== undefined) this.refused.push(message);
    return message;
  }
}
