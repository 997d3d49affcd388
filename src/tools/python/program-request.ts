import { z } from 'zod';

const text = z.string().max(100_000);

/** What a program may ask the server for. Programs write it themselves: nothing of it is trusted. */
export const programRequest = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('fork'),
    prompt: text.min(1),
    agent_type: z.string().min(1).max(64).nullish(),
  }),
  z.object({ op: z.literal('wait'), id: z.string() }),
  z.object({
    op: z.literal('ask'),
    question: z.string().min(1).max(10_000),
    options: z.array(z.string().min(1).max(500)).max(20).nullish(),
  }),
  z.object({
    op: z.literal('tool'),
    name: z.string().max(200),
    arguments: z.record(z.string(), z.unknown()),
  }),
]);

export type ProgramRequest = z.output<typeof programRequest>;
