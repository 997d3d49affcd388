const RULES = [
  { decision: 'ask', matcher: { type: 'tool', pattern: 'guarded' }, priority: 10 },
  { decision: 'allow', matcher: { type: 'tool', pattern: 'deed' } },
  { decision: 'allow', matcher: { type: 'tool', pattern: 'note' } },
];

/** People are asked about some calls and not about others. */
export async function setRules(world, random) {
  for (const rule of RULES) {
    const body = { scope: 'global', ...rule };
    const { status } = await world.ask('/permissions/rules', { random, method: 'POST', body });
    if (status !== 201) throw new Error(`A rule was answered with ${status}`);
  }
}
