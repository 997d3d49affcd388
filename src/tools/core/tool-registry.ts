import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError } from '../../kernel/app-error.js';
import { duplicateName } from '../../kernel/duplicate-name.js';
import { warnOfUndecorated } from '../../kernel/warn-of-undecorated.js';
import type { ModelTool } from '../../models/model-provider.js';
import { nearestNames } from '../../kernel/text/nearest-names.js';
import { ToolProvider } from './tool-provider.decorator.js';
import type { ToolServer, ToolSource } from './tool-source.js';
import { Tool } from './tool.js';
import { z } from 'zod';
import { checkRetries } from './retries.js';
import { cutText } from '../../kernel/text/cut-text.js';

interface Entry {
  readonly tool: Tool;
  readonly definition: ModelTool;
}

const TOOL = { base: Tool, decorator: ToolProvider, written: '@ToolProvider()' };

/**
 * All tools that agents can call: the providers marked with `@ToolProvider`, and the tools that
 * sources offer at the moment.
 */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly entries = new Map<string, Entry>();
  private readonly sources: ToolSource[] = [];
  /** The names of the tools that each server offers. */
  private readonly offered = new Map<string, readonly string[]>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { instance, name } of this.discovery.getProviders({ metadataKey: ToolProvider.KEY }))
      this.discover(instance, String(name));
    warnOfUndecorated(this.discovery, TOOL);
  }

  /** @throws AppError `duplicate_name`; Error if the name or the input schema is invalid */
  add(tool: Tool): void {
    const other = this.entries.get(tool.name)?.tool;
    if (other) throw duplicateName('tools', tool.name, [other, tool]);
    this.entries.set(tool.name, { tool, definition: defineTool(tool) });
  }

  addSource(source: ToolSource): void {
    this.sources.push(source);
  }

  /** All servers that offer tools. */
  servers(): readonly ToolServer[] {
    return this.sources.flatMap((source) => source.servers());
  }

  /**
   * Replaces the tools of a server with `tools`. Returns the problems of those that can't be
   * offered.
   */
  replace(server: string, tools: readonly Tool[]): string[] {
    for (const name of this.offered.get(server) ?? []) this.entries.delete(name);
    const problems: string[] = [];
    const names: string[] = [];
    for (const tool of tools) {
      try {
        this.add(tool);
        names.push(tool.name);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    this.offered.set(server, names);
    return problems;
  }

  find(name: string): Tool | undefined {
    return this.entries.get(name)?.tool;
  }

  /** @throws AppError `unknown_tool` (400) */
  get(name: string): Tool {
    return this.entry(name).tool;
  }

  /** Sorted by name. */
  list(): readonly Tool[] {
    return this.sorted().map(({ tool }) => tool);
  }

  /**
   * The definitions for a model: these tools in the order given, or all tools sorted by name.
   * @throws AppError `unknown_tool` (400)
   */
  definitions(names?: readonly string[]): readonly ModelTool[] {
    const entries = names ? names.map((name) => this.entry(name)) : this.sorted();
    return entries.map(({ definition }) => definition);
  }

  /** The names of the tools that no server offers. */
  ownNames(): readonly string[] {
    const offered = new Set([...this.offered.values()].flat());
    return [...this.entries.keys()].filter((name) => !offered.has(name)).sort();
  }

  /** Describes an unknown tool name, and suggests others. */
  describeUnknown(name: string): string {
    for (const source of this.sources) {
      const why = source.explainMissing(name);
      if (why !== undefined) return why;
    }
    const known = [...this.entries.keys()].sort();
    const near = nearestNames(name, known);
    const shown = JSON.stringify(cutText(name, 64));
    if (near.length > 0) return `There is no tool ${shown}. Did you mean ${near.join(' or ')}?`;
    return `There is no tool ${shown}. The tools are: ${known.join(', ')}.`;
  }

  private discover(instance: unknown, provider: string): void {
    if (!(instance instanceof Tool))
      throw new Error(`@ToolProvider() is on ${provider}, which does not extend Tool.`);
    this.add(instance);
  }

  private entry(name: string): Entry {
    const found = this.entries.get(name);
    if (found) return found;
    const message = this.describeUnknown(name);
    throw new AppError('invalid', 'unknown_tool', message, {
      errors: [{ field: 'tools', message }],
    });
  }

  private sorted(): Entry[] {
    return [...this.entries.values()].sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
  }
}

/** The pattern that every vendor accepts for a function's name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The definition of the tool for a model; `input_schema` is JSON Schema 2020-12.
 * @throws Error if the tool can't be offered to a model
 */
export function defineTool(tool: Tool): ModelTool {
  const { name, description } = tool;
  if (!NAME.test(name))
    throw new Error(
      `The tool name ${JSON.stringify(name)} is not usable: take 1 to 64 letters, digits, "_" or "-".`,
    );
  checkRetries(tool);
  return { name, description, input_schema: inputSchema(tool) };
}

function inputSchema({ name, input, input_schema }: Tool): ModelTool['input_schema'] {
  const { $schema: _, ...schema } = input_schema ?? toJsonSchema(name, input);
  if (schema.type !== 'object')
    throw new Error(`The input of the tool "${name}" is not an object: declare it with z.object.`);
  return schema;
}

function toJsonSchema(name: string, input: Tool['input']) {
  try {
    return z.toJSONSchema(input, { io: 'input' });
  } catch (cause) {
    throw new Error(
      `The input of the tool "${name}" has no JSON Schema: use types that JSON can carry.`,
      { cause },
    );
  }
}
