/** The coder's system prompt in a project; `notes` is the text of its `AGENTS.md`. */
export function coderInstructions(prompt: string, notes: string | null): string {
  if (notes === null) return prompt;
  return `${prompt}\n\nThe project's own notes, from AGENTS.md. Follow them; where they differ from what is said above, they count:\n\n${notes}`;
}
