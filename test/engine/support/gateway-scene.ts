/** A gateway over the real engine, with people of three tenants: some may do something, others may not. */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { gatewayApp } from '../../../src/gateway/app';
import { withEngine, type Engine, type Setup } from './engine';
import { gatewayParts, person, type Person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';
import type { GatewayParts } from '../../../src/gateway/route';

export const rita = person('acme/rita', 'starter');
export const ron = person('acme/ron', 'starter');
export const boss = person('acme/boss', 'admin');
export const ana = person('acme/ana', 'approver');
export const eve = person('globex/eve', 'starter', 'approver', 'auditor', 'admin');
/** A person of a tenant whose name begins with another tenant's name. */
export const ned = person('acme2/ned', 'starter', 'admin', 'approver', 'auditor');
/** The operator, who has no tenant. */
export const olga = person('olga', 'admin', 'auditor');

export const invoice = { invoice: 'INV-7', cents: 700 };

export interface Answered {
  status: number;
  body: any;
}

export interface Scene extends Engine {
  app: ReturnType<typeof gatewayApp>;
  /** The payments of the tool `pay`. */
  effects: unknown[];
  /** @param who null: the request has no token */
  send(
    who: Person | null,
    method: 'GET' | 'POST',
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered>;
}

/** By default the model pays the invoice and is done; decisions are signed, with the gateway's key. */
export async function gatewayScene(
  setup: Partial<Setup>,
  body: (scene: Scene) => Promise<void>,
  more: Partial<GatewayParts> = {},
): Promise<void> {
  const signers = new Signers();
  const effects: unknown[] = [];
  const script = [ask(['pay', invoice]), say('done')];
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const signingKey = await signers.file(signers.gateway);
  const people = [rita, ron, boss, ana, eve, ned, olga];
  await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey, ...setup }, async (engine) => {
    const app = gatewayApp(
      gatewayParts({ people, store: engine.store, key: signers.gateway, client: async () => engine.client, ...more }),
    );
    const faults = holdToSchemas(app);
    const send: Scene['send'] = async (who, method, url, payload, headers = {}) => {
      const response = await app.inject({
        method,
        url,
        headers: { ...who?.headers, ...headers },
        ...(payload === undefined ? {} : { payload: payload as object }),
      });
      return { status: response.statusCode, body: response.json() };
    };
    try {
      await body({ ...engine, app, effects, send });
      expect(faults).toEqual([]);
    } finally {
      await app.close();
      signers.remove();
    }
  });
}

interface Described {
  content?: Record<string, { schema: object }>;
}

/** @returns the answers that do not fit the schema of their route; the list grows with each answer */
function holdToSchemas(app: ReturnType<typeof gatewayApp>): string[] {
  const faults: string[] = [];
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  app.addHook('onSend', async ({ method, routeOptions }, { statusCode }, payload) => {
    const declared = (routeOptions.schema?.response as Record<number, Described> | undefined)?.[statusCode];
    if (typeof payload !== 'string' || !/^[[{]/.test(payload) || declared === undefined) return;
    const schema = declared.content ? declared.content['application/json']?.schema : declared;
    if (schema === undefined || ajv.validate(schema, JSON.parse(payload))) return;
    faults.push(`${method} ${routeOptions.url} ${statusCode}: ${ajv.errorsText()}`);
  });
  return faults;
}
