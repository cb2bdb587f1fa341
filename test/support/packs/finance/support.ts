/** What the finance tests share: the tools over the snapshot, and a call as the runner makes it (schema first). */
import { financeTools, snapshotData, type FinanceData, type Mailer } from '../../../../packs/finance/src';
import { isToolError, type ToolError } from '../../../../src/tools/define/errors';
import { checkOutput } from '../../../../src/tools/schema/input-output';
import { compile, inputSchema } from '../../../../src/tools/schema/schema';
import { toolContext as context } from '../../tool-context';

export { toolContext as context } from '../../tool-context';

export const TODAY = '2026-11-21';
export const data = snapshotData(undefined, () => TODAY);

const noMailer: Mailer = { from: 'agent@example.com', send: () => Promise.reject(new Error('this test sends nothing')) };

export function toolNamed(name: string, mailer: Mailer = noMailer, providers: FinanceData = data) {
  return financeTools({ ...providers, mailer }).find((tool) => tool.name === name)!;
}

/** @throws Error that lists the violations when the input does not fit the schema, or the result that of the output */
export async function call(name: string, input: object, mailer?: Mailer, ctx = context(), providers?: FinanceData): Promise<any> {
  const tool = toolNamed(name, mailer, providers);
  const validate = compile(inputSchema(tool.input));
  await validate.ahead(input as never, 'test');
  const checked = validate(input as never);
  if (!checked.valid) throw new Error(`schema: ${checked.violations.map((v) => `${v.path} ${v.message}`).join('; ')}`);
  const result = await tool.run(checked.data, ctx);
  const fault = await checkOutput(tool, JSON.parse(JSON.stringify(result)), 'test');
  if (fault) throw new Error(`output schema: ${fault.message}`);
  return result;
}

/** The ToolError that a promise ends with; fails for anything else. */
export async function toolErrorOf(promise: Promise<unknown>): Promise<ToolError> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason) => reason,
  );
  if (!isToolError(error)) throw error;
  return error;
}
