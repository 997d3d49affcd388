import { APIConnectionTimeoutError, APIError } from 'openai';
import type { Fault, Vendor } from '../wire/vendor.js';

const REFUSED = 400;
const URL_HINT = 'ends in /v1.';

export const OPENAI: Vendor = {
  fault: (error) => {
    if (error instanceof APIConnectionTimeoutError) return 'timeout';
    if (!(error instanceof APIError)) return undefined;
    return error.status === undefined ? 'unreachable' : httpFault(error);
  },
  statuses: new Map(
    ['invalid_request_error', 'context_length_exceeded', 'invalid_api_key', 'model_not_found'].map(
      (word) => [word, REFUSED],
    ),
  ),
  advice: {
    key: ' Check OPENAI_API_KEY.',
    not_found: ` Check the model's name, and that OPENAI_BASE_URL ${URL_HINT}`,
    url: ' Check OPENAI_BASE_URL, and that the server runs.',
    bad_response: ` Check OPENAI_BASE_URL: it usually ${URL_HINT}`,
  },
};

function httpFault(error: APIError): Fault {
  const { status, code, type, message } = error as APIError & { status: number };
  const detail = message.replace(`${status} `, '');
  const location = error.headers?.get('location');
  const redirected = location ? `it redirects to ${location}` : detail;
  return {
    status,
    code: code ?? type ?? undefined,
    detail: status < 400 ? redirected : detail,
    headers: error.headers,
  };
}
