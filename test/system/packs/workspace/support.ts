import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolsOver, type WorkspaceSettings } from '../../../../packs/workspace/src';
import { Workspace } from '../../../../packs/workspace/src/files/workspace';
import type { JsonObject } from '../../../../src/shared/json/json';
import { isToolError } from '../../../../src/tools/define/errors';
import { compile, inputSchema, type Validator } from '../../../../src/tools/schema/schema';
import { toolContext } from '../../../support/tool-context';
import type { Tool, ToolContext } from '../../../../src/tools/define/tool';

export const SECRET = 'canary-5f1c-do-not-tell';

export type Answer = { ok: true; data: any } | { ok: false; code: string; reason: string; message: string; hint?: string };

/** A workspace in a temporary folder; beside it, outside of it, a canary. */
export class Place {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly canary: string;
  private tools: { tool: Tool; validate: Validator }[] = [];

  constructor(settings: Partial<WorkspaceSettings> & { anchored?: boolean } = {}) {
    this.base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-workspace-')));
    this.root = join(this.base, 'root');
    this.outside = join(this.base, 'outside');
    this.canary = join(this.outside, 'canary.txt');
    mkdirSync(this.root);
    mkdirSync(this.outside);
    writeFileSync(this.canary, SECRET);
    this.setUp(settings);
  }

  setUp({ anchored, hardLinks = false, ...bash }: Partial<WorkspaceSettings> & { anchored?: boolean } = {}): void {
    this.tools = toolsOver(new Workspace(this.root, hardLinks, anchored), bash).map((tool) => ({
      tool,
      validate: compile(inputSchema(tool.input as never)),
    }));
  }

  tool(name: string): Tool {
    return this.find(name).tool;
  }

  context(more: Partial<ToolContext> = {}): ToolContext {
    return toolContext(more);
  }

  private find(name: string) {
    return this.tools.find(({ tool }) => tool.name === name)!;
  }

  /** As a call passes: schema, check, run, output schema. */
  async call(name: string, asked: JsonObject, more: Partial<ToolContext> = {}): Promise<Answer> {
    const { tool, validate } = this.find(name);
    const checked = validate(asked);
    if (!checked.valid)
      return { ok: false, code: 'INVALID_PARAMS', reason: 'schema_violation', message: JSON.stringify(checked.violations) };
    const fault = tool.check?.(checked.data);
    if (fault) return { ok: false, code: 'INVALID_PARAMS', ...fault };
    try {
      const data = await tool.run(checked.data, toolContext(more));
      (tool.output as any).strict().parse(data);
      return { ok: true, data };
    } catch (error) {
      if (!isToolError(error)) throw error;
      const { code, reason, message, hint } = error.detail;
      return { ok: false, code, reason, message, ...(hint === undefined ? {} : { hint }) };
    }
  }

  /** The data of a call that succeeds. */
  async ok(name: string, input: JsonObject, more: Partial<ToolContext> = {}): Promise<any> {
    const answer = await this.call(name, input, more);
    if (!answer.ok) throw new Error(`${name} failed: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  put(path: string, content: string | Buffer): void {
    mkdirSync(join(this.root, path, '..'), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  get(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** The state that nobody may change. */
  outsideState(): unknown {
    const { mtimeMs, ino, size, mode } = statSync(this.canary);
    return {
      names: readdirSync(this.outside),
      base: readdirSync(this.base).sort(),
      content: readFileSync(this.canary, 'utf8'),
      mtimeMs,
      ino,
      size,
      mode,
    };
  }

  /** Ways out of the workspace that somebody left in it, and things that are no files. */
  plant({ hardLink = true } = {}): void {
    const link = (target: string, path: string) => symlinkSync(target, join(this.root, path));
    this.put('src/a.ts', 'export const a = 1;\n');
    this.put('deep/a/b/c.txt', 'c\n');
    link('../outside', 'out');
    link(this.outside, 'out-absolute');
    link('../outside/canary.txt', 'canary-link');
    link(this.canary, 'canary-absolute');
    link('../../../../outside', 'deep/a/b/up');
    link('chain-2', 'chain-1');
    link('out', 'chain-2');
    link('loop', 'loop');
    link('../outside/none', 'dangling');
    link('..', 'parent');
    link('/', 'machine');
    link('/proc/self/root', 'proc-root');
    link('/proc/self/cwd', 'proc-cwd');
    link('src', 'alias');
    if (hardLink) linkSync(this.canary, join(this.root, 'hard.txt'));
    execFileSync('mkfifo', [join(this.root, 'fifo')]);
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
