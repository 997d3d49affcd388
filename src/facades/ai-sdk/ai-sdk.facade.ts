import type { Facade } from '../facade.js';
import { AiSdkModule } from './ai-sdk.module.js';
import type { Problem } from '../../protocol/wire/problem.js';

const MIB = 1024 * 1024;

/** The UI message stream of the AI SDK, for `useChat` and others with its transport. */
export const AI_SDK: Facade = {
  name: 'ai-sdk',
  paths: ['/ai-sdk/'],
  rules: {
    bodyLimit: 4 * MIB, // clients send whole histories
    bodyValues: 200_000,
    errorType: 'text/plain; charset=utf-8',
    formatError: describe,
    paths: ['/ai-sdk/chat', '/ai-sdk/chat/{id}/stream'],
  },
  module: AiSdkModule,
};

/** Pages show it as it is. */
function describe({ title, detail }: Problem): string {
  return detail.startsWith(`${title}: `) ? detail : `${title}: ${detail}`;
}
