import { defineConfig } from 'vite';

export default defineConfig({
  build: { rolldownOptions: { input: ['use-chat.html', 'use-stream.html'] } },
});
