// Serves the page: node serve.mjs [port]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';

const FILES = {
  '/': ['public/index.html', 'text/html'],
  '/page.css': ['public/page.css', 'text/css'],
  '/page.js': ['public/page.js', 'text/javascript'],
};

const server = createServer(async ({ url }, response) => {
  const [name, type] = FILES[new URL(url, 'http://page').pathname] ?? [];
  if (!name) return response.writeHead(404).end();
  response.writeHead(200, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
  });
  response.end(await readFile(new URL(name, import.meta.url)));
});
server.listen(Number(process.argv[2] ?? 5173), '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`),
);
