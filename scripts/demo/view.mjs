import { agent, dim, green, magenta, red, say, seconds, write, yellow } from './terminal.mjs';

/** Shows the events of one interaction. */
export class View {
  isComplete = false;
  deltas = 0;
  cursor = '';
  interaction_id = '';
  #started = performance.now();
  #block;

  show({ event, id, data }) {
    this.cursor = id;
    const body = JSON.parse(data);
    this.interaction_id = body.interaction_id;
    this[event]?.(body);
  }

  line(text) {
    if (this.#block) say();
    this.#block = undefined;
    say(`       ${text}`);
  }

  text_delta(body) {
    this.#stream(body, agent('Agent  '), (text) => text);
  }

  thinking_delta(body) {
    this.#stream(body, dim('       … '), dim);
  }

  tool_call({ tool_name, tool_input }) {
    this.line(`${magenta(`→ ${tool_name}`)} ${tool_input}`);
  }

  approval_required({ tool_name, tool_input, reason }) {
    this.line(`${yellow('?')} May ${tool_name} run with ${tool_input}? ${dim(reason)}`);
  }

  input_required({ question, options }) {
    this.line(`${yellow('?')} ${question}${options ? ` (${options.join(', ')})` : ''}`);
  }

  tool_result({ tool_output, is_error, duration_ms }) {
    const mark = is_error ? red('✗') : green('✓');
    this.line(
      `${mark} ${tool_output.replaceAll('\n', '\n         ')} ${dim(`(${duration_ms} ms)`)}`,
    );
  }

  notice({ message }) {
    this.line(yellow(`! ${message}`));
  }

  error({ code, message }) {
    this.line(red(`${code}: ${message}`));
  }

  interaction_complete({ status, seq }) {
    this.isComplete = true;
    this.line(dim(`${status.toLowerCase()} in ${seconds(this.#started)}, ${seq} records`));
  }

  #stream({ block_id, delta }, label, paint) {
    this.deltas++;
    if (this.#block !== block_id) {
      if (this.#block) say();
      write(label);
      this.#block = block_id;
    }
    write(paint(delta.replaceAll('\n', '\n       ')));
  }
}
