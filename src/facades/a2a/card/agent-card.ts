import { VERSION } from '../../../kernel/version.js';
import type { AgentModel } from '../../base/agent-models.js';

export interface CardOptions {
  /** Where the server is, as the client names it: `https://parley.example`. */
  readonly base: string;
  readonly needsCredential: boolean;
}

/** Public: it has the data that a client needs to send a request, and nothing else. */
export function agentCardOf(
  { id: name, description }: AgentModel,
  { base, needsCredential }: CardOptions,
): object {
  const url = `${base}/a2a/${encodeURIComponent(name)}`;
  const modes = ['text/plain', 'application/json'];
  return {
    ...{ name, description, version: VERSION },
    supportedInterfaces: ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => {
      return { url, protocolBinding, protocolVersion: '1.0' };
    }),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    ...{ defaultInputModes: modes, defaultOutputModes: modes },
    skills: [{ id: name, name, description, tags: ['agent'] }],
    ...(needsCredential && {
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    }),
  };
}
