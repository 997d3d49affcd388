/**
 * Name patterns of models that accept images; a prefix of the name (`google/`, `eu.`) is ignored.
 */
const SEEING =
  /(^|[/.:])(claude-(?!2|instant)|gpt-(4o|4\.[1-9]|4-turbo|4-vision|[5-9]|\d\d)|chatgpt-|o(1|3|4-mini|[5-9])(?!-mini)|gemini|gemma-?[3-9]|pixtral|llava|bakllava|moondream|minicpm-v|internvl|llama-?[4-9]|grok-[4-9]|mistral-(small-3\.[1-9]|medium-3|large-3))|[-.\d]vl\b|vision|multimodal/i;
/** Models of the same families that don't accept images. */
const BLIND = /embed|audio|realtime|transcribe|tts|-search-|moderation/i;

const NONE = 'none';

/**
 * True if a model, `<provider>/<name>`, accepts images. The operator's list decides if there is
 * one: names, prefixes that end in `*`, or `none` for no model at all. Otherwise the model's name
 * decides. A model without image support rejects the whole request.
 */
export function seesImages(model: string, named: readonly string[] = []): boolean {
  if (named.length > 0) return named.some((name) => name !== NONE && fits(model, name));
  return SEEING.test(model) && !BLIND.test(model);
}

function fits(model: string, name: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name;
}
