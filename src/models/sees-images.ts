/** Models that see, by what their vendors call them; what stands before the name (`google/`, `eu.`) doesn't matter. */
const SEEING =
  /(^|[/.:])(claude-(?!2|instant)|gpt-(4o|4\.[1-9]|4-turbo|4-vision|[5-9]|\d\d)|chatgpt-|o(1|3|4-mini|[5-9])(?!-mini)|gemini|gemma-?[3-9]|pixtral|llava|bakllava|moondream|minicpm-v|internvl|llama-?[4-9]|grok-[4-9]|mistral-(small-3\.[1-9]|medium-3|large-3))|[-.\d]vl\b|vision|multimodal/i;
/** Others of their families. */
const BLIND = /embed|audio|realtime|transcribe|tts|-search-|moderation/i;

const NONE = 'none';

/**
 * Whether a model, `<provider>/<name>`, can be shown images: it is one of those that the operator names (names, or beginnings of names that
 * end in `*`; `none`: no model at all), or, where nobody says, known to by its name. A model that can't refuses the whole request.
 */
export function seesImages(model: string, named: readonly string[] = []): boolean {
  if (named.length > 0) return named.some((name) => name !== NONE && fits(model, name));
  return SEEING.test(model) && !BLIND.test(model);
}

function fits(model: string, name: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name;
}
