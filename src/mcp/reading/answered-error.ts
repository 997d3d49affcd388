import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { McpError } from '@modelcontextprotocol/sdk/types.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { isObject } from '../../kernel/json/json.js';
import { toText } from '../../tools/core/to-text.js';

/** In characters. */
const MAX_DATA = 4_000;
const MAX_PAGES = 10;
const MAX_PAGE = 2_000;

const NOT_CARRIED_OUT =
  'The call was not carried out. Tell the user to open the page; then call again.';

/** An error that a server answered, for the model, with its data, which may tell a way out. */
export function describeAnsweredError({ code, message, data }: McpError): string {
  const required: number = ErrorCode.UrlElicitationRequired;
  const pages = code === required ? pagesOf(data) : [];
  if (pages.length > 0) return [message, ...pages, NOT_CARRIED_OUT].join('\n');
  const text = data === undefined ? '' : toText(data);
  if (text === '') return message;
  return `${message}\n${text.length > MAX_DATA ? `${cutText(text, MAX_DATA)}…` : text}`;
}

/** The pages that a person has to open before the call can be made. */
function pagesOf(data: unknown): string[] {
  const listed = isObject(data) ? data['elicitations'] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.slice(0, MAX_PAGES).flatMap((page: unknown) => {
    const { message, url } = Object(page) as Readonly<Record<string, unknown>>;
    if (typeof url !== 'string' || !isWebPage(url)) return [];
    return typeof message === 'string' ? `${cutText(message, MAX_PAGE)}: ${url}` : url;
  });
}

function isWebPage(url: string): boolean {
  if (url.length > MAX_PAGE || !URL.canParse(url)) return false;
  return ['http:', 'https:'].includes(new URL(url).protocol);
}
