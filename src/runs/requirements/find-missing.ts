import { messageOf } from '../../kernel/app-error.js';
import type { Inventory } from './inventory.js';

const HINTS = {
  agent: 'Check AGENTS_DIR, or the code of the server.',
  model: 'Check the keys and the addresses of its provider.',
  tool: 'Check MCP_CONFIG, the server that offers it, and GET /tools.',
  folder: 'Check WORKSPACE_ROOTS, and that the folder is mounted.',
};

type RequirementKind = keyof typeof HINTS;

/** Something that a run needs of its server; of a folder, the name is the uid of its chat. */
export type Requirement = `${RequirementKind}:${string}`;

/** The reason why the server lacks it, for people; undefined if it is there. */
export async function findMissing(
  { agents, models, tools, workspaces }: Inventory,
  requirement: Requirement,
): Promise<string | undefined> {
  const { kind, name } = partsOf(requirement);
  try {
    switch (kind) {
      case 'agent':
        agents.get(name);
        break;
      case 'model':
        models.resolve(name);
        break;
      case 'tool':
        if (!tools.find(name)) return tools.describeUnknown(name);
        break;
      case 'folder':
        await workspaces.use(name, async () => {});
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** For people. */
export function describeMissing(requirement: Requirement, reason: string): string {
  const { kind } = partsOf(requirement);
  return `The server lacks ${nameOf(requirement)}, which this interaction needs: ${reason} ${HINTS[kind]} The interaction waits, and goes on by itself as soon as the server has it again; nothing that was decided is lost. A cancel ends it.`;
}

export function describeMet(requirement: Requirement): string {
  return `The server has ${nameOf(requirement)} again. The interaction goes on.`;
}

/** Requirement as clients see it: the uid of a chat is internal. */
export function shownRequirement(waitsFor: string): string {
  return waitsFor.startsWith('folder:') ? 'folder' : waitsFor;
}

function nameOf(requirement: Requirement): string {
  const { kind, name } = partsOf(requirement);
  return kind === 'folder' ? 'the folder of the chat' : `the ${kind} ${name}`;
}

function partsOf(requirement: Requirement): { kind: RequirementKind; name: string } {
  const colon = requirement.indexOf(':');
  return {
    kind: requirement.slice(0, colon) as RequirementKind,
    name: requirement.slice(colon + 1),
  };
}
