import { basename, join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { Periodic } from '../../kernel/async/periodic.js';
import { ModelRegistry } from '../../models/model-registry.js';
import { DeclaredRules } from '../../permissions/rules/declared-rules.js';
import { ToolRegistry } from '../../tools/core/tool-registry.js';
import { AgentRegistry } from '../agent-registry.js';
import type { RegisteredAgent } from '../agent-registry.js';
import type { AgentDefinition, AgentFileFault } from './agent-definition.js';
import { FileAgent } from './file-agent.js';
import type { LineFault } from './parse-agent-file.js';
import { readAgentFolder } from './read-agent-folder.js';
import type { AgentFile } from './read-agent-folder.js';

/** A file, and the agent that it defines. */
interface LoadedFile {
  readonly file: AgentFile;
  /** Its last version without a fault. */
  readonly definition?: AgentDefinition;
  readonly faults: readonly LineFault[];
}

const INTERVAL_MS = 1000;

/** Agent types defined by files of AGENTS_DIR. Checks every second for changes. */
@Injectable()
export class AgentFiles implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Agents');
  private readonly folder: string;
  private loaded = new Map<string, LoadedFile>();
  private readonly rounds: Periodic;
  /** Loaded with the first file: the YAML parser is large. */
  private parser: typeof import('./parse-agent-file.js') | undefined;
  private trouble = '';

  constructor(
    config: Config,
    private readonly agents: AgentRegistry,
    private readonly models: ModelRegistry,
    private readonly tools: ToolRegistry,
    private readonly rules: DeclaredRules,
    clock: Clock,
  ) {
    this.folder = config.agentsDir;
    const run = (): Promise<void> => this.reload();
    this.rounds = new Periodic(clock, { name: 'AGENTS_DIR', every_ms: INTERVAL_MS, run });
  }

  async onModuleInit(): Promise<void> {
    await this.look();
    this.rounds.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
  }

  /** The faults of the files as they are now. */
  get faults(): readonly AgentFileFault[] {
    return [...this.loaded.values()].flatMap(({ file, faults }) =>
      faults.map((fault) => ({ file: this.shown(file.name), ...fault })),
    );
  }

  /** Resolves when a check, possibly one already in progress, is over. */
  look(): Promise<void> {
    return this.rounds.runNow();
  }

  private async reload(): Promise<void> {
    const known = new Map([...this.loaded].map(([name, { file }]) => [name, file]));
    const files = await readAgentFolder(this.folder, known).catch((error: Error) => error);
    if (files instanceof Error) return this.complain(files.message);
    this.trouble = '';
    const isSame =
      files.length === known.size && files.every((file) => known.get(file.name) === file);
    if (isSame) return;
    this.parser ??= await import('./parse-agent-file.js');
    this.take(files);
  }

  /** The folder can't be read: the known agents stay. Logged once. */
  private complain(message: string): void {
    if (this.trouble !== message) this.logger.warn(`AGENTS_DIR can't be read: ${message}`);
    this.trouble = message;
  }

  private take(files: readonly AgentFile[]): void {
    const before = this.loaded;
    this.loaded = new Map();
    for (const file of files) {
      const earlier = before.get(file.name);
      const loaded = earlier?.file === file ? earlier : this.load(file, earlier?.definition);
      this.loaded.set(file.name, loaded);
      if (loaded !== earlier) this.report(loaded);
    }
    for (const name of before.keys()) this.rules.replace(this.shown(name), []);
    const offered = [...this.loaded.values()].flatMap((loaded) => this.offer(loaded));
    this.agents.replaceFiles(offered, this.missing());
  }

  private load(file: AgentFile, last: AgentDefinition | undefined): LoadedFile {
    const { definition, faults } = this.parse(file);
    const usable = definition ?? last;
    return { file, faults, ...(usable && { definition: usable }) };
  }

  private parse({ name, text }: AgentFile): {
    definition?: AgentDefinition;
    faults: readonly LineFault[];
  } {
    if (text instanceof Error)
      return { faults: [{ line: 1, message: `can’t be read: ${text.message}` }] };
    const parsed = this.parser!.parseAgentFile(text, basename(name).replace(/\.md$/i, ''));
    if (!parsed.ok) return { faults: parsed.faults };
    const { definition } = parsed;
    const faults = this.findClashes(definition, name).map(([field, message]) => ({
      line: parsed.lineOf(field),
      message: `${field} ${message}`,
    }));
    return faults.length > 0 ? { faults } : { definition, faults };
  }

  /** Faults beyond the file itself: a name that is taken, a model that is not available. */
  private findClashes({ name, model }: AgentDefinition, file: string): [string, string][] {
    const clashes: [string, string][] = [];
    const other = [...this.loaded.values()].find(
      (loaded) => loaded.definition?.name === name && loaded.file.name !== file,
    );
    const isBuiltIn = this.agents.find(name) && !this.agents.find(name)!.source;
    if (isBuiltIn) clashes.push(['name', `"${name}" is that of an agent of the server’s own`]);
    else if (other) clashes.push(['name', `"${name}" is that of ${other.file.name}, too`]);
    try {
      if (model !== undefined) this.models.resolve(model);
    } catch (error) {
      clashes.push(['model', `can’t be used: ${(error as Error).message.replace(/\.$/, '')}`]);
    }
    return clashes;
  }

  private offer({ file, definition }: LoadedFile): Required<RegisteredAgent>[] {
    if (!definition) return [];
    const source = this.shown(file.name);
    this.rules.replace(source, definition.permissions);
    const { name, description, model, max_iterations } = definition;
    const type = {
      name,
      description,
      ...(model && { model }),
      ...(max_iterations && { max_iterations }),
    };
    const agent = new FileAgent(definition, () => this.tools.list().map((tool) => tool.name));
    return [{ type, agent, source }];
  }

  /** Reasons why agents are missing, by the names of their files. */
  private missing(): ReadonlyMap<string, string> {
    const missing = [...this.loaded.values()].filter(({ definition }) => !definition);
    return new Map(
      missing.map(({ file, faults }) => [
        basename(file.name).replace(/\.md$/i, ''),
        `${this.shown(file.name)}:${faults[0]!.line} ${faults[0]!.message}.`,
      ]),
    );
  }

  private report({ file, faults, definition }: LoadedFile): void {
    const shown = this.shown(file.name);
    if (faults.length === 0) return this.logger.log(`Agent "${definition!.name}" is ${shown}`);
    const rest = definition ? 'What it said before stays in force' : 'The agent is not there';
    for (const { line, message } of faults)
      this.logger.warn(`${shown}:${line} ${message}. ${rest}.`);
  }

  /** Path for people: with the folder's name, but not its location. */
  private shown(name: string): string {
    return join(basename(this.folder), name);
  }
}
