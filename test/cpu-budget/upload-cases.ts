import { makeDocx, makePdf, makePdfBomb, makeZip } from '../support/make-documents.js';
import type { CpuCase, CpuWorld } from './cpu-world.js';
import { VALUES, worstTexts } from './worst-shapes.js';

const BOUNDARY = 'limit';
const SIZE = 1024 * 1024;
/** The time to write lines to the log and to read them, in all. */
const IMPORT_TOTAL = 6_000;
/** Bytes. */
const LINE = 16 * SIZE - 1_000;

const part = (headers: string, body: string | Buffer = ''): Buffer =>
  Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`), Buffer.from(body), EOL]);
const EOL = Buffer.from('\r\n');
const file = (name: string, body: string | Buffer): Buffer =>
  part(`Content-Disposition: form-data; name="file"; filename="${name}"`, body);
const form = (...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

/** Forms that are dear to cut into parts. */
function forms(): Readonly<Record<string, Buffer>> {
  const field = part('Content-Disposition: form-data; name="chat_id"', 'a');
  const many = (text: string): Buffer => Buffer.from(text.repeat(SIZE / text.length));
  return {
    'many parts': form(...Array(10_000).fill(field)),
    'many files': form(...Array(10_000).fill(file('a', 'a'))),
    'many empty parts': form(...Array(50_000).fill(part(''))),
    'an endless header': many('a'),
    'an endless header of a part': Buffer.from(`--${BOUNDARY}\r\nX: ${'a'.repeat(SIZE)}`),
    'many headers': Buffer.from(`--${BOUNDARY}\r\n${'X: a\r\n'.repeat(SIZE / 6)}`),
    'many folded headers': Buffer.from(`--${BOUNDARY}\r\nX: a${'\r\n a'.repeat(SIZE / 4)}`),
    'many parameters': form(part(`Content-Disposition: form-data${'; a="b"'.repeat(10_000)}`)),
    'quotes in a name': form(file('\\"'.repeat(30_000), 'a')),
    'percents in a name': form(
      part(`Content-Disposition: form-data; name="file"; filename*=utf-8''${'%41'.repeat(20_000)}`),
    ),
    'a long field': form(part('Content-Disposition: form-data; name="chat_id"', many('a'))),
    boundaries: form(file('a.txt', many(`\r\n--${BOUNDARY.slice(0, -1)}`))),
    'line breaks': form(file('a.txt', many('\r\n--'))),
  };
}

/** Forms, and documents of each type that is recognized, that an upload takes. */
export function uploadCases(): CpuCase[] {
  const texts = worstTexts().map(({ name, text }) => [name, text.toWellFormed()] as const);
  const names = worstTexts(60_000).map(({ name, text }) => [name, text.toWellFormed()] as const);
  return [
    ...Object.entries(forms()).map(([name, body]) => upload(name, () => body)),
    ...texts.flatMap(([name, text]) =>
      ['a.txt', 'a.html', 'a.xml', 'a.pdf', 'a.docx'].map((as) =>
        upload(`${as}: ${name}`, () => form(file(as, text))),
      ),
    ),
    ...texts.flatMap(([name, text]) =>
      [
        '<svg ',
        '<?xml version="1.0"?>',
        '%PDF-1.4\n',
        'PK\u0003\u0004',
        '{\\rtf1',
        '\ufeff',
        'GIF89a',
      ].map((begin) =>
        upload(`${JSON.stringify(begin)}: ${name}`, () => form(file('a', begin + text))),
      ),
    ),
    ...names.map(([name, text]) =>
      upload(`a name: ${name}`, () => form(file(text.replaceAll(/["\r\n\0]/g, '_'), 'a'))),
    ),
    ...Object.entries(documents()).flatMap(([name, bytes]) => [
      upload(name, () => form(file(name, bytes))),
      attached(name, bytes),
    ]),
    ...texts.map(([name, text]) => attached('a.txt', text, name)),
  ];
}

/** Small documents that unpack to much, and ones with parts that are odd. */
function documents(): Readonly<Record<string, Buffer>> {
  const zeros = '0'.repeat(50 * SIZE);
  const nested = '<a>'.repeat(100_000);
  const entities = `<!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">${Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('')}]><a>&a20;</a>`;
  return {
    'bomb.zip': makeZip({ a: zeros }),
    'bomb.docx': makeZip({ 'word/document.xml': zeros }),
    'bomb.xlsx': makeZip({ 'xl/sharedStrings.xml': zeros }),
    'bomb.pdf': makePdfBomb(50 * SIZE),
    'many.zip': makeZip(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${n}`, '']))),
    'nested.docx': makeDocx(nested),
    'entities.docx': makeZip({ 'word/document.xml': entities }),
    'long.docx': makeDocx('a '.repeat(SIZE / 2)),
    'paragraphs.docx': makeDocx(...Array<string>(50_000).fill('a')),
    'pages.pdf': makePdf(...Array<string>(2_000).fill('a')),
    'long.pdf': makePdf('a '.repeat(SIZE / 2)),
  };
}

function upload(name: string, body: () => Buffer): CpuCase {
  return { name: `an upload, ${name}`, run: (world) => send(world, body()) };
}

/** A file that is shown to a model. */
function attached(filename: string, content: string | Buffer, name = filename): CpuCase {
  return {
    name: `an attached file, ${name}`,
    total: IMPORT_TOTAL,
    run: async (world) => {
      const { id } = JSON.parse(await send(world, form(file(filename, content)))) as {
        id?: string;
      };
      await world.say({ user_message: 'Hi.', file_ids: [id] });
      world.openai.reset();
    },
  };
}

async function send(world: CpuWorld, body: Buffer): Promise<string> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const init = { method: 'POST', headers, body: new Uint8Array(body) };
  const response = await world.api.fetch('/files', init).catch(() => undefined); // it may close
  return (await response?.text().catch(() => '{}')) ?? '{}';
}

const at = '2026-01-01T00:00:00.000Z';
const HEAD = [
  { type: 'session_log', version: 1 },
  { type: 'chat', id: 'a', created_at: at, updated_at: at },
].map((line) => JSON.stringify(line));
const line = (type: string, fields: string): string => `{"type":"${type}",${fields}}`;

/** Lines of a log with each of the worst shapes, in place of each of its members. */
export function importCases(): CpuCase[] {
  const values = [
    ...Object.entries(VALUES),
    ...worstTexts().map(({ name, text }) => [name, JSON.stringify(text.toWellFormed())] as const),
  ];
  const record = (body: string): string =>
    line(
      'record',
      `"interaction_id":"i","seq":1,"epoch":1,"agent_id":"a","at":"${at}","key":null,"body":${body}`,
    );
  return [
    ...values.flatMap(([name, json]) => [
      imported(`a line: ${name}`, () => json),
      imported(`a field: ${name}`, () => line('chat', `"odd":${json}`)),
      imported(`a title: ${name}`, () => line('chat', `"title":${json}`)),
      imported(`metadata: ${name}`, () => line('chat', `"metadata":${json}`)),
      imported(`messages: ${name}`, () => line('chat', `"messages":${json}`)),
      imported(`a message: ${name}`, () =>
        line('chat', `"messages":[{"role":"user","content":${json}}]`),
      ),
      imported(`an interaction: ${name}`, () => line('interaction', `"id":"i","metadata":${json}`)),
      imported(`a record: ${name}`, () => record(json)),
      imported(`an answer: ${name}`, () => record(`{"type":"ANSWER","content":${json}}`)),
      imported(`a custom event: ${name}`, () =>
        record(`{"type":"CUSTOM","name":"a","data":${json}}`),
      ),
      imported(`a call: ${name}`, () => record(`{"type":"TOOL_CALL","tool_input":${json}}`)),
      imported(`a request: ${name}`, () => line('request', `"event":${json}`)),
    ]),
    // As long as a line may be.
    ...['a', '\\n', '\\u00e9', '\u{1f600}', '1.5e3 '].map((piece) =>
      imported(`an answer of ${piece}`, () => {
        const long = `"${piece.repeat(LINE / Buffer.byteLength(piece))}"`;
        return record(`{"type":"ANSWER","content":${long}}`);
      }),
    ),
    imported('many lines', () => Array(50_000).fill('{}').join('\n')),
    imported('many empty lines', () => '\n'.repeat(4 * SIZE)),
    imported('many empty lines of Windows', () => '\r\n'.repeat(SIZE)),
    imported('many blank lines', () => ' \n'.repeat(SIZE)),
    imported('many odd lines', () => Array(50_000).fill('{"type":"odd"}').join('\n')),
  ];
}

/** `lines`: made when they are sent, since all of them are too many for memory. */
function imported(name: string, lines: () => string): CpuCase {
  return {
    name: `an import, ${name}`,
    total: IMPORT_TOTAL,
    run: async (world) => {
      const head = HEAD.slice(0, name.includes('a line') ? 2 : 1);
      const body = [...head, lines(), '{"type":"end"}'];
      const headers = { 'content-type': 'application/x-ndjson' };
      const init = { method: 'POST', headers, body: body.join('\n') };
      await (await world.api.fetch('/chats/import', init)).text();
    },
  };
}
