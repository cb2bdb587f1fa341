/** The walk-through of docs/http.md, run as it is written: only addresses and tokens are our own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { serveGateway } from '../../../src/gateway/serve';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { withEngine } from '../../engine/support/engine';
import { gatewayParts, person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const page = readFileSync(join(__dirname, '../../../docs/http.md'), 'utf8');

describe('docs/http.md', () => {
  it('can be followed with curl', async () => {
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);
    const steps = blocks.filter((text) => !text.startsWith('export '));
    expect([blocks.length, steps.length]).toEqual([5, 4]);
    const effects: unknown[] = [];
    const signers = new Signers();
    const app = defineApp({
      agents: [defineAgent({ name: 'payables', prompt: 'Pay due invoices.', tools: [pays('pay_invoice', effects)] })],
    });
    const script = [ask(['pay_invoice', { invoice: 'INV-7', cents: 700 }]), say('INV-7 is paid.')];
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const signingKey = await signers.file(signers.gateway);
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-walk-'));
    try {
      await withEngine({ app, script, settings, signingKey }, async ({ client, store }) => {
        const [rita, ana] = [person('acme/rita', 'starter'), person('acme/ana', 'approver')];
        const catalogue = async () => catalogueOf(app);
        const parts = gatewayParts({ people: [rita, ana], store, key: signers.gateway, catalogue, client: async () => client });
        const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
        const env = { ...process.env, HOLDFAST: gateway.url, STARTER: rita.token, APPROVER: ana.token };
        try {
          const script = `set -euo pipefail\n${steps.join('\n')}`;
          const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env, timeout: 120_000 });
          expect(stdout).toContain('INV-7 is paid.');
          expect(stdout).toContain('"name":"pay_invoice"');
          expect(JSON.parse(readFileSync(join(folder, 'call.json'), 'utf8'))).toMatchObject({ state: 'awaiting_approval' });
          expect(effects).toEqual([{ invoice: 'INV-7', cents: 700 }]);
        } finally {
          await gateway.close();
        }
      });
    } finally {
      signers.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
