/** The child of tool-process.ts: loads one tool from an author's module, reports that, and runs it on request. */
import { loadModule } from '../agents/load-module';
import { timeLimitOf } from '../shared/turn/tool-class';
import { runTool } from '../tools/run/run';
import { contextFor } from './context';
import type { RunRequest, ChildMessage } from './tool-process';
import { isTool, type Tool } from '../tools/define/tool';
import { errorMessage } from '../shared/text/error-message';

async function main(path: string, name: string): Promise<void> {
  const tool = toolIn(await loadModule(path), name);
  if (!tool) throw new Error(`${path} has no export ${name} made by defineTool.`);
  process.on('disconnect', () => process.exit()); // the test has ended
  process.on('message', ({ input, key }: RunRequest) => {
    void runTool(tool, input, contextFor(tool.name, key), { timeoutMs: timeLimitOf(tool) }).then((result) => tell({ result }));
  });
  tell({ ready: { name: tool.name, version: tool.version } });
}

/** A CommonJS module that was compiled from ESM nests its exports once more. */
function toolIn(module: unknown, name: string): Tool | null {
  for (let value = module; typeof value === 'object' && value !== null; value = (value as { default?: unknown }).default) {
    if (isTool(value)) return name === 'default' ? value : null;
    const tool = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (isTool(tool)) return tool;
  }
  return null;
}

function tell(word: ChildMessage): void {
  process.send!(word);
}

void main(process.argv[2]!, process.argv[3]!).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`, () => process.exit(1));
});
