/**
 * The answer of an MCP server to one request, as text: `answers` has the JSON of the results by
 * method, or for calls by the name of the tool. `echo` answers with the request as it came.
 */
export function rawAnswer(answers, line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return undefined;
  if (params?.name === 'echo') return reply(id, textResult(line));
  const name = method === 'tools/call' ? params.name : method;
  const answer = answers[name];
  const page = Array.isArray(answer) ? answer[Number(params?.cursor ?? 0)] : answer;
  return reply(id, page ?? textResult('done'));
}

/** The id comes last, after whatever the result has of that name. */
function reply(id, result) {
  return `{"jsonrpc":"2.0","error":null,"result":${result},"id":${id}}`;
}

function textResult(text) {
  return JSON.stringify({ content: [{ type: 'text', text }] });
}
