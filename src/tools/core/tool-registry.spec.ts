import { Injectable, Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { z } from 'zod';
import { ToolProvider } from './tool-provider.decorator.js';
import { ToolRegistry } from './tool-registry.js';
import { Tool } from './tool.js';
import type { ToolPolicy } from './tool.js';

abstract class Plain extends Tool {
  readonly description = 'Does something.';
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };
  readonly input: z.ZodType = z.object({});

  execute(): string {
    return '';
  }
}

@ToolProvider()
@Injectable()
class Weather extends Plain {
  readonly name = 'weather';
  override readonly input = z.object({
    city: z.string().describe('Where.'),
    days: z.int().min(1).max(7).default(1),
  });
}

@ToolProvider()
@Injectable()
class Almanac extends Plain {
  readonly name = 'almanac';
}

@Injectable()
class Unmarked extends Plain {
  readonly name = 'unmarked';
}

async function boot(...providers: Type[]): Promise<ToolRegistry> {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule],
    providers: [ToolRegistry, ...providers],
  }).compile();
  await module.init();
  return module.get(ToolRegistry);
}

describe(ToolRegistry.name, () => {
  it('finds the providers that are marked, and no others', async () => {
    const registry = await boot(Weather, Unmarked, Almanac);
    expect(registry.list().map(({ name }) => name)).toEqual(['almanac', 'weather']);
    expect(registry.get('weather')).toBeInstanceOf(Weather);
    expect(registry.find('unmarked')).toBeUndefined();
  });

  it('warns of a tool that is not marked, and of no other', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    await boot(Weather, Unmarked, Almanac);
    expect(warn.mock.calls).toEqual([
      [
        'Unmarked extends Tool, but has no @ToolProvider(): it is not used. Add the decorator to the class.',
      ],
    ]);
    warn.mockRestore();
  });

  it('offers a model the JSON Schema of the input', async () => {
    const [definition] = (await boot(Weather)).definitions();
    expect(definition).toEqual({
      name: 'weather',
      description: 'Does something.',
      input_schema: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where.' },
          days: { type: 'integer', minimum: 1, maximum: 7, default: 1 },
        },
        required: ['city'],
      },
    });
  });

  it('offers the tools that are asked for, in that order', async () => {
    const registry = await boot(Weather, Almanac);
    const names = registry.definitions(['weather', 'almanac']).map(({ name }) => name);
    expect(names).toEqual(['weather', 'almanac']);
  });

  it('names near ones when asked for a tool that is not there', async () => {
    const registry = await boot(Weather, Almanac);
    const unknown = expect.objectContaining({ kind: 'invalid', code: 'unknown_tool' });
    expect(() => registry.get('wether')).toThrow(unknown);
    expect(() => registry.definitions(['wether'])).toThrow('Did you mean weather?');
    expect(() => registry.get('xyz')).toThrow('The tools are: almanac, weather.');
  });

  it('does not start with two tools of one name', async () => {
    @ToolProvider()
    @Injectable()
    class Twin extends Plain {
      readonly name = 'weather';
    }
    await expect(boot(Weather, Twin)).rejects.toMatchObject({
      code: 'duplicate_name',
      message: expect.stringMatching(/^Two tools are called "weather": \w+ and Twin\. Rename one/),
    });
  });

  it.each(['', 'has space', 'x'.repeat(65), 'umläut'])(
    'does not start with a tool called "%s"',
    async (bad) => {
      @ToolProvider()
      @Injectable()
      class Misnamed extends Plain {
        readonly name = bad;
      }
      await expect(boot(Misnamed)).rejects.toThrow('is not usable');
    },
  );

  it.each([
    ['a string', z.string(), 'is not an object'],
    [
      'a union',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      'is not an object',
    ],
    ['a type that JSON lacks', z.object({ at: z.date() }), 'has no JSON Schema'],
  ])('does not start with a tool whose input is %s', async (_, schema, message) => {
    @ToolProvider()
    @Injectable()
    class Shapeless extends Plain {
      readonly name = 'shapeless';
      override readonly input = schema;
    }
    await expect(boot(Shapeless)).rejects.toThrow(message);
  });

  it('does not start with a marked provider that is no tool', async () => {
    @ToolProvider()
    @Injectable()
    class Stranger {}
    await expect(boot(Stranger)).rejects.toThrow('on Stranger, which does not extend Tool');
  });
});
