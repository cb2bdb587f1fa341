import { z } from 'zod';
import { defineTool } from '../../../../src/tools/define/define';
import { lintTool } from '../../../../src/tools/lint/lint';
import type { ToolDefinition } from '../../../../src/tools/define/tool';

const description = {
  does: 'Lists the open invoices of one supplier, oldest first, with amount and due date.',
  returns: 'invoices, each with number, amount in cents and due date.',
  useWhen: 'You need to know what is owed to a supplier.',
  dontUseFor: 'Paying (pay_invoice).',
  example: '{"supplier": "S-1"}',
};
const good = {
  name: 'list_open_invoices',
  version: '1.0.0',
  class: 'read' as const,
  description,
  input: z.object({ supplier: z.string().max(20).describe('Supplier number') }),
  run: () => null,
};
const rules = (more: Partial<ToolDefinition<any>> & object) =>
  lintTool(defineTool({ ...good, ...more } as never)).map(({ rule, path }) => `${rule} ${path}`);

describe('lint', () => {
  it('finds no fault with the first tool of the README', () => {
    const pay = defineTool({
      ...{ name: 'pay_invoice', version: '1.0.0', class: 'destructive', description: 'Pays one supplier invoice.' },
      input: z.object({ invoice: z.string(), cents: z.number().int().positive() }),
      run: async () => null,
    } as never);
    expect(lintTool(pay).filter(({ level }) => level === 'fault')).toEqual([]);
    expect(lintTool(pay)).toHaveLength(5);
  });

  it('has no findings for a tool that is well described', () => expect(rules({})).toEqual([]));

  it.each(['do_thing', 'tool1', 'helper', 'execute', 'run', 'processData', 'handle_request_2'])('%s means nothing', (name) => {
    expect(rules({ name })).toContain('name_says_nothing /name');
  });

  it.each(['bash', 'glob', 'calculate', 'read_file', 'simulate_swap', 'get_quote'])('%s means enough', (name) => {
    expect(rules({ name })).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['a name in another case', { name: 'listOpenInvoices' }, ['name_not_snake_case /name']],
    [
      'a short text',
      { description: 'Lists invoices.' },
      ['description_too_short /description', 'description_without_parts /description'],
    ],
    ['too many words', { description: { ...description, returns: 'word '.repeat(300) } }, ['description_too_long /description']],
    [
      'missing parts',
      { description: { does: description.does, returns: 'A list of all of them, with everything that is known.' } },
      ['useWhen', 'dontUseFor', 'example'].map((part) => `description_part_missing /description/${part}`),
    ],
    ['no warning', { class: 'destructive' }, ['description_part_missing /description/warning']],
    ['any text', { input: z.object({ note: z.string().describe('x') }) }, ['text_without_limits /input/properties/note']],
    ['nothing said', { input: z.object({ on: z.iso.date() }) }, ['property_without_description /input/properties/on']],
    ['any number', { input: z.object({ n: z.number().min(0).describe('x') }) }, ['number_without_limits /input/properties/n']],
    ['any integer', { input: z.object({ n: z.number().int().describe('x') }) }, ['number_without_limits /input/properties/n']],
    [
      'a long list of any text',
      { input: z.object({ all: z.array(z.string()).describe('x') }) },
      ['list_without_limit /input/properties/all', 'text_without_limits /input/properties/all/items'],
    ],
    ['a union at the top', { input: { type: 'object', anyOf: [{ properties: {} }] } }, ['input_combined_at_top /input/anyOf']],
    [
      'an end without a date',
      { deprecated: true },
      ['deprecated_without_date /sunsetDate', 'deprecated_without_replacement /replacement'],
    ],
  ])('finds %s', (_name, more, found) => expect(rules(more)).toEqual(found));

  it('says what to do about each finding', () => {
    const findings = lintTool(defineTool({ ...good, description: 'x', name: 'Run' }));
    expect(findings).toHaveLength(4);
    for (const finding of findings)
      expect(finding).toMatchObject({ tool: 'Run', message: expect.any(String), fix: expect.stringMatching(/\.$/) });
  });
});
