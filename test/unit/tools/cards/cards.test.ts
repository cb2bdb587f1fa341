import { parse } from 'parse5';
import { toolCard } from '../../../../src/tools/cards/card';
import { cardsHtml } from '../../../../src/tools/cards/html';
import { cardMarkdown } from '../../../../src/tools/cards/markdown';
import { defineTool } from '../../../../src/tools/define/define';
import { shippedTools } from '../../../support/shipped-tools';
import { everyField } from '../convert/every-field';

const tools = [...shippedTools(), everyField];

describe('tool cards', () => {
  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s: purpose, class, every input with its limits, in both formats',
    (_name, tool) => {
      const card = toolCard(tool);
      const markdown = cardMarkdown(card);
      const html = cardsHtml([card]);
      for (const text of [markdown, html]) {
        expect(text.replace(/\\/g, '')).toContain(tool.name);
        expect(text).toContain(tool.version);
        expect(text).toContain('What its class means');
        for (const { reason } of tool.errors ?? []) expect(text).toContain(reason);
      }
      for (const { name } of card.inputs) {
        expect(markdown).toContain(`| \`${name}\` |`);
        expect(html).toContain(`<code>${name}</code>`);
      }
      expect(card.definitionTokens).toBeGreaterThan(10);
    },
  );

  it('the finance tools name the error that is met most often', () => {
    const first = Object.fromEntries(shippedTools().map((tool) => [tool.name, tool.errors?.[0]?.reason]));
    expect(first).toMatchObject({
      search_filings: 'ticker_not_found',
      get_quote: 'no_quote_for_ticker',
      calculate: 'calc_failed',
      peer_companies: 'no_peer_data',
      send_credit_memo: 'denied',
    });
  });

  it('shows limits, defaults, nesting, life cycle and cost', () => {
    const card = toolCard(everyField);
    const row = (name: string) => card.inputs.find((each) => each.name === name);
    expect(row('items')).toMatchObject({ type: 'integer', required: true, limits: ['from 1 to 500'] });
    expect(row('to')).toMatchObject({ type: 'string', limits: ['matches ^[A-Z][0-9]$'] });
    expect(row('speed')).toMatchObject({ type: 'choice', limits: ['"slow", "fast"'], default: '"slow"' });
    expect(row('lines')).toMatchObject({ type: 'list of object', limits: [' to 5 items'.trim()] });
    expect(row('lines[].sku')).toMatchObject({ required: true });
    expect(card.caution.join(' ')).toMatch(
      /Deprecated\. Refused from 2099-01-31 on\. Use ship_stock instead\..*cannot be undone.*carry data out/,
    );
    expect(card.means.join(' ')).toMatch(
      /A person approves every call.*honours the idempotency key.*At most 2 at once\. At most 5 in 60 s\./,
    );
    expect(cardMarkdown(card)).toContain('A call costs about 40 tokens in, and 10 to 30 out (typically 20).');
  });

  it('hostile texts stay text: no tag, no link, no image, no table cell of their own', () => {
    const evil = '</p><script>alert(1)</script> ![x](http://a.example/i.png) | cell | \u202e`code`\n# head';
    const tool = defineTool({
      name: 'evil',
      version: '1.0.0',
      class: 'read',
      description: { does: evil, example: evil },
      input: {
        type: 'object',
        properties: { [`a|"><img>`]: { type: 'string', description: evil, default: evil, pattern: '\\|<b>|script' } },
      },
      changelog: { '1.0.0': evil },
      errors: [{ code: 'TIMEOUT', reason: 'slow', when: evil }],
      run: () => null,
    });
    const markdown = cardMarkdown(toolCard(tool));
    expect(markdown.replace(/`[^`\n]*`/g, '')).not.toMatch(/(?<!\\)<|(?<!\\)!?\[x|\n# head|\u202e/);
    const table = markdown.split('\n').filter((line) => line.startsWith('|'));
    expect(table.map((line) => line.replace(/\\\|/g, '').split('|').length)).toEqual([7, 7, 7]);
    const tags = new Set<string>();
    const walk = (node: any) => {
      if (node.tagName) tags.add(node.tagName);
      for (const child of node.childNodes ?? []) walk(child);
    };
    walk(parse(cardsHtml([toolCard(tool), toolCard(everyField)])));
    for (const tag of ['script', 'img', 'b']) expect(tags).not.toContain(tag);
    expect(cardsHtml([toolCard(tool)])).not.toMatch(/(src|href)="http/);
  });

  it('a malformed list of errors is a fault of the definition', () => {
    const wrong = [{ code: 'NOPE', reason: 'Not Snake', when: '' }];
    expect(() => defineTool({ ...everyField, errors: wrong } as never)).toThrow(
      /errors\[0\]\.code[^]*errors\[0\]\.reason[^]*errors\[0\]\.when/,
    );
    expect(() => defineTool({ ...everyField, errors: 'none' } as never)).toThrow('errors must be a list');
  });
});
