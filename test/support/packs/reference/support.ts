import { compile, inputSchema } from '../../../../src/tools/schema/schema';
import { toolContext } from '../../tool-context';
import type { Tool, ToolContext, ToolProgress } from '../../../../src/tools/define/tool';

/** Calls a tool as the engine does: schema first, a generator to its end. */
export async function call(tool: Tool, input: object, more: Partial<ToolContext> = {}): Promise<any> {
  return (await watched(tool, input, more)).data;
}

export async function watched(tool: Tool, input: object, more: Partial<ToolContext> = {}) {
  const validate = compile(inputSchema(tool.input as never));
  await validate.ahead(input as never, 'test'); // in a thread, where it is much
  const checked = validate(input as never);
  if (!checked.valid) throw new Error(checked.violations.map(({ path, message }) => `${path} ${message}`).join('; '));
  const said: ToolProgress[] = [];
  const ctx = toolContext({ progress: (message, fraction) => void said.push({ message, fraction: fraction ?? -1 }), ...more });
  const returned: any = await tool.run(checked.data, ctx);
  if (typeof returned?.next !== 'function') return { data: returned, said };
  for (;;) {
    const next = await returned.next();
    if (next.done) return { data: next.value, said };
    said.push(next.value);
  }
}

/** What a call failed with, as the model reads it. */
export async function failure(work: Promise<unknown>): Promise<any> {
  return work.then(
    (value) => Promise.reject(new Error(`did not fail, but gave ${JSON.stringify(value)}`)),
    (error: any) => error.detail ?? error,
  );
}
