import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { creditAnalyst } from '../../../../packs/showcase/src/credit-analyst';
import { financeTools, snapshotData } from '../../../../packs/finance/src';
import { defineApp } from '../../../../src/agents/define';
import { decide } from '../../../../src/tools/admit/policy';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { data } from '../../../support/packs/finance/support';
import type { DescriptionParts } from '../../../../src/tools/define/tool';

const tools = financeTools({ ...data, mailer: { from: 'agent@example.com', send: () => Promise.reject(new Error('unused')) } });

describe('the finance pack', () => {
  it('offers ten tools, each of its class', () => {
    expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.class]))).toEqual({
      search_filings: 'read',
      fetch_filing_section: 'read',
      get_quote: 'read',
      get_price_history: 'read',
      calculate: 'compute',
      stats_summary: 'compute',
      search_news: 'read',
      peer_companies: 'read',
      ratio_card: 'read',
      send_credit_memo: 'destructive',
    });
  });

  it('says of every tool what it does, returns, when to use it and when not, with an example', () => {
    for (const tool of tools) {
      const parts = tool.description as DescriptionParts;
      for (const part of ['does', 'returns', 'useWhen', 'dontUseFor', 'example'] as const) expect(parts[part]).toBeTruthy();
      expect(Object.values(parts).join(' ').length).toBeGreaterThan(200);
    }
  });

  it('says of every tool what its result is, and which results contain outsiders’ words', () => {
    expect(tools.filter((tool) => tool.output === undefined)).toEqual([]);
    const untrusted = tools.filter((tool) => tool.untrustedOutput).map((tool) => tool.name);
    expect(untrusted).toEqual(['fetch_filing_section', 'search_news']);
  });

  it("does not change the credit analyst's verdicts once such results have been read", async () => {
    const { policy } = new Registry(defineApp({ agents: [creditAnalyst(tools)] })).agent('credit-analyst')!;
    for (const tool of tools) {
      const verdict = async (untrusted: boolean) =>
        (
          await decide(policy, {
            tool,
            input: JSON.parse((tool.description as DescriptionParts).example!),
            turn: { untrusted, requester: 'ana', agent: 'credit-analyst', step: 2 },
          })
        ).verdict;
      expect([tool.name, await verdict(true)]).toEqual([tool.name, await verdict(false)]);
    }
  });

  it('makes the credit analyst, whose memo waits for a person', () => {
    const agent = creditAnalyst(tools);
    expect(agent.name).toBe('credit-analyst');
    expect(agent.permissions.allow).toEqual([]);
    expect(agent.prompt).toContain('you cannot approve it');
  });
});

describe('the embedded snapshot', () => {
  const root = join(__dirname, '../../../../packs/finance/data');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

  it('stays below 400 KB and tells where it comes from', () => {
    expect(files.reduce((sum, name) => sum + statSync(join(root, name)).size, 0)).toBeLessThan(400 * 1024);
    expect(existsSync(join(root, 'README.md'))).toBe(true);
  });

  it('gives every report an accession number that stands in the filing index', async () => {
    for (const ticker of ['AAPL', 'GOOGL', 'MSFT', 'NVDA']) {
      const filed = new Map((await data.filings.filings(ticker)).filings.map((filing) => [filing.accession, filing]));
      for (const report of (await data.filings.facts(ticker)).reports) {
        expect(filed.get(report.accession)).toMatchObject({ form: report.form, date: report.filed, period: report.end });
      }
    }
  });

  it('balances: assets are liabilities and equity in every report', async () => {
    for (const ticker of ['AAPL', 'GOOGL', 'MSFT', 'NVDA']) {
      for (const report of (await data.filings.facts(ticker)).reports) {
        const at = (...names: string[]) => report.facts.find((f) => names.includes(f.concept) && f.end === report.end)?.value;
        const liabilities = at('Liabilities', 'Total Liabilities');
        if (liabilities === undefined) continue;
        expect(liabilities + at('StockholdersEquity', 'Total Shareholder Equity')!).toBe(at('Assets', 'Total Assets'));
      }
    }
  });

  it('finds the known splits in restated earnings', async () => {
    const factors = async (ticker: string) => (await data.filings.facts(ticker)).splits.map((split) => split.factor);
    expect([await factors('AAPL'), await factors('NVDA'), await factors('GOOGL')]).toEqual([[7, 4], [4, 10], [20]]);
  });

  it('says what is wrong when it is missing', async () => {
    await expect(snapshotData('no/such/folder').filings.company('AAPL')).rejects.toThrow('build-snapshot');
  });
});
