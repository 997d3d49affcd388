import { profileOf } from './vendor-profile.js';

const MOST = profileOf('http://localhost:8080/v1');

describe(profileOf.name, () => {
  it('expects of most servers what is usual', () => {
    expect(MOST).toMatchObject({
      limit_option: 'max_tokens',
      max_tools: Infinity,
      narrow_schemas: false,
      answer_format: 'json_schema',
      returns_kept: true,
    });
  });

  it.each([
    ['api.openai.com', { limit_option: 'max_completion_tokens', max_tools: 128 }],
    ['eu.api.openai.com', { limit_option: 'max_completion_tokens', max_tools: 128 }],
    ['me.openai.azure.com', { limit_option: 'max_completion_tokens', max_tools: 128 }],
    ['me.cognitiveservices.azure.com', { limit_option: 'max_completion_tokens', max_tools: 128 }],
    ['me.services.ai.azure.com', { max_tools: 128 }],
    ['api.groq.com', { max_tools: 128, returns_kept: false }],
    ['api.deepseek.com', { max_tools: 128, answer_format: 'json_object' }],
    ['api.moonshot.ai', { max_tools: 128 }],
    ['api.moonshot.cn', { max_tools: 128 }],
    ['generativelanguage.googleapis.com', { narrow_schemas: true }],
    ['aiplatform.googleapis.com', { narrow_schemas: true }],
    ['us-central1-aiplatform.googleapis.com', { narrow_schemas: true }],
    ['api.mistral.ai', { bridge: true, call_ids: 'short' }],
    ['notapi.openai.com', {}],
    ['api.openai.com.example', {}],
  ])('knows %s', (host, differences) => {
    expect(profileOf(`https://${host}/v1`)).toEqual({ ...MOST, ...differences });
  });
});
