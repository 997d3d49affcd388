export { default as OpenAI7 } from 'openai-7';
