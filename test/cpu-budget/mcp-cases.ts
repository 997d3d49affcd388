import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import type { CpuCase, CpuWorld } from './cpu-world.js';
import { VALUES, worstTexts } from './worst-shapes.js';

/** Polls and the pause between two lists count, too. */
const LIST_TOTAL = 2_000;
/** A tool that each list has. */
const DONE = '{"name":"done","inputSchema":{"type":"object"}}';
const PART = '{"type":"text","text":"a"}';
/** Characters, within the limit of a schema. */
const SCHEMA = 90_000;
/** As many such schemas as a message may have. */
const MANY = 60;

/** Each member of a result with each of the worst shapes. */
export function resultCases(): CpuCase[] {
  const jsons = [
    ...Object.entries(VALUES),
    ...worstTexts().map(({ name, text }) => [name, JSON.stringify(text.toWellFormed())] as const),
  ];
  const content = (part: string): string => `{"content":[${part}]}`;
  return [
    ...jsons.flatMap(([name, json]) => [
      result(`a text: ${name}`, content(`{"type":"text","text":${json}}`)),
      result(`an error: ${name}`, `{"isError":true,"content":[{"type":"text","text":${json}}]}`),
      result(`structured content: ${name}`, `{"structuredContent":${json}}`),
      result(`structured object: ${name}`, `{"structuredContent":{"a":${json}}}`),
      result(`a resource: ${name}`, content(`{"type":"resource","resource":{"text":${json}}}`)),
      result(`a link: ${name}`, content(`{"type":"resource_link","uri":${json},"name":${json}}`)),
      result(
        `an image: ${name}`,
        content(`{"type":"image","data":${json},"mimeType":"image/png"}`),
      ),
      result(`parts: ${name}`, `{"content":${json}}`),
      result(`a part: ${name}`, content(json)),
      result(`metadata: ${name}`, `{"content":[],"_meta":${json}}`),
      result(`a result: ${name}`, json),
    ]),
    result('parts: many texts', content(Array(30_000).fill(PART).join(','))),
    // As lines of their own, after the answer.
    result('many empty lines', `{"content":[]}}${'\n'.repeat(1024 * 1024)}{"method":"odd"`),
    result('many lines', `{"content":[]}}${'\n{}'.repeat(5_000)}\n{"method":"odd"`),
    result('parts: many nulls', content(Array(30_000).fill('{"type":"text","text":null}').join())),
  ];
}

function result(name: string, json: string): CpuCase {
  return {
    name: `a result of MCP, ${name}`,
    prepare: async (world) => writeFile(join(world.folder, 'mcp-call.json'), json),
    run: (world) => call(world, 'mcp__odd__done', '{}'),
  };
}

const repeated = (make: (n: number) => string): string => {
  const parts: string[] = [];
  for (let [n, size] = [0, 0]; size < SCHEMA; n++) {
    parts.push(make(n));
    size += parts[n]!.length + 1;
  }
  return parts.join(',');
};
const levels = (open: string, close: string, size = SCHEMA): string => {
  const count = Math.floor(size / (open.length + close.length));
  return open.repeat(count) + '{}' + close.repeat(count);
};

/** Schemas of `{ "text": … }` that are dear to compile, or to check a text with. */
const SCHEMAS: Readonly<Record<string, string>> = {
  'deep properties': `{"properties":{"text":${levels('{"properties":{"a":', '}}')}}}`,
  'allowed depth': `{"properties":{"text":${levels('{"properties":{"a":', '}}', 800)}}}`,
  'deep alternatives': `{"properties":{"text":${levels('{"anyOf":[', ']}', 1_000)}}}`,
  'many properties': `{"properties":{${repeated((n) => `"k${n}":{"type":"string"}`)}}}`,
  'many required': `{"required":[${repeated((n) => `"k${n}"`)}]}`,
  'many alternatives': `{"properties":{"text":{"oneOf":[${repeated(() => '{"type":"object"}')}]}}}`,
  'many values': `{"properties":{"text":{"enum":[${repeated((n) => `"k${n}"`)}]}}}`,
  'many patterns': `{"properties":{"text":{"allOf":[${repeated((n) => `{"pattern":"(a|a)*${n}$"}`)}]}}}`,
  'many names': `{"patternProperties":{${repeated((n) => `"(t+)+${n}$":{}`)}}}`,
  'many references': `{"$defs":{${repeated((n) => `"k${n}":{"$ref":"#/$defs/k${n + 1}"}`)}},"properties":{"text":{"$ref":"#/$defs/k0"}}}`,
  'doubled references': `{"$defs":{${Array.from({ length: 40 }, (_, n) => `"k${n}":{"allOf":[{"$ref":"#/$defs/k${n + 1}"},{"$ref":"#/$defs/k${n + 1}"}]}`).join()},"k40":{}},"properties":{"text":{"$ref":"#/$defs/k0"}}}`,
  // As many as a schema may have that is compiled.
  'compiled properties': `{"properties":{${Array.from({ length: 480 }, (_, n) => `"k${n}":{"type":"string"}`).join()}}}`,
  'compiled alternatives': `{"properties":{"text":{"oneOf":[${Array(480).fill('{"type":"object"}').join()}]}}}`,
  'compiled patterns': `{"properties":{"text":{"allOf":[${Array.from({ length: 480 }, (_, n) => `{"pattern":"a${n}"}`).join()}]}}}`,
  'a pattern that backtracks': '{"properties":{"text":{"type":"string","pattern":"^(a+)+$"}}}',
  'a large pattern': '{"properties":{"text":{"pattern":"((a{1,30}){1,30}){1,30}b"}}}',
  'a long pattern': `{"properties":{"text":{"pattern":"${'(a|b)?'.repeat(15_000)}"}}}`,
  'distinct items': '{"properties":{"text":{"uniqueItems":true}}}',
  'a long description': `{"description":${JSON.stringify('- '.repeat(SCHEMA / 2))}}`,
};

/** Lists of tools, and calls of a tool with each schema. */
export function declarationCases(): CpuCase[] {
  const texts = worstTexts().filter(({ piece }) => ['a', '- ', '1'].includes(piece));
  const inputs = [
    ...texts.map(({ name, text }) => [name, JSON.stringify({ text: `${text}b` })] as const),
    ...['allowed texts', 'allowed objects', 'objects of allowed keys', 'deep and wide'].map(
      (name) => [name, `{"text":${VALUES[name]}}`] as const,
    ),
  ];
  const tool = (schema: string, name = '"says"'): string =>
    `{"name":${name},"inputSchema":${schema}}`;
  return [
    ...Object.entries(SCHEMAS).flatMap(([name, schema]) => [
      ...inputs.map(([shape, json]) => calledWith(`${name}: ${shape}`, tool(schema), json)),
      list(`many tools with ${name}`, Array(MANY).fill(tool(schema)).join()),
    ]),
    ...[
      ...Object.entries(VALUES),
      ...worstTexts().map(({ name, text }) => [name, JSON.stringify(text.toWellFormed())] as const),
    ].flatMap(([name, json]) => [
      list(`a schema: ${name}`, tool(json)),
      list(`a part of a schema: ${name}`, tool(`{"properties":{"a":${json}}}`)),
      list(`a name: ${name}`, tool('{}', json)),
      list(`a description: ${name}`, `{"name":"says","description":${json},"inputSchema":{}}`),
      list(`a tool: ${name}`, json),
      list(`annotations: ${name}`, `{"name":"says","annotations":${json},"inputSchema":{}}`),
    ]),
    list('many tools', Array.from({ length: 20_000 }, (_, n) => tool('{}', `"t${n}"`)).join()),
    list(
      'too much',
      Array(2 * MANY)
        .fill(tool(SCHEMAS['many properties']!))
        .join(),
    ),
  ];
}

let lists = 0;

/** Has the server send a list, and waits until its answer to a call comes after it. */
async function offer(world: CpuWorld, tools: string): Promise<void> {
  const at = (name: string): string => join(world.folder, name);
  const begin = `{"description":"List ${lists++}.","tools":[${DONE},`;
  await writeFile(at('mcp-list.new'), `${begin}${tools}]}`);
  await rename(at('mcp-list.new'), at('mcp-list.json'));
  await eventually(async () => (await readFile(at('mcp-sent'), 'utf8')).startsWith(begin));
  await call(world, 'mcp__odd__done', '{}');
}

async function call(world: CpuWorld, name: string, json: string): Promise<void> {
  world.openai.reply({ calls: [{ name, arguments: json }], chunk_size: Infinity });
  await world.say({ user_message: 'Go.', approval_mode: 'auto' });
  world.openai.reset();
}

function list(name: string, tools: string): CpuCase {
  return {
    name: `a list of MCP, ${name}`,
    total: LIST_TOTAL,
    run: (world) => offer(world, tools),
  };
}

function calledWith(name: string, tool: string, json: string): CpuCase {
  return {
    name: `a call of MCP, ${name}`,
    total: LIST_TOTAL,
    prepare: async (world) =>
      writeFile(join(world.folder, 'mcp-call.json'), `{"content":[${PART}]}`),
    run: async (world) => {
      await offer(world, tool); // its schema is compiled with its first call
      await call(world, 'mcp__odd__says', json);
    },
  };
}
