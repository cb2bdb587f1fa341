/**
 * Routes for audit bundles of a turn or a session, and for what is made of the bundle of a turn: a report, and a what-if. A bundle
 * is made as fast as the client reads it; the others are made of a bundle that is small enough to be held.
 */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { BundleOf, HoldfastClient } from '../../client/holdfast-client';
import { z } from 'zod';
import { whatIf as whatIfShape, type WhatIfAnswer } from '../../shapes/records';
import { jsonObject } from '../../shapes/envelope';
import { optional } from '../../shared/json/optional';
import { answer, answers, body, errorAnswer, postHeaders, textAnswer, sessionParams, turnParams } from '../schemas/common';
import { visibleSession, visibleTurn } from '../auth/turn-session-access';
import { Refusal } from '../http/errors';
import { whatIfInThread } from '../what-if';
import type { Route } from '../route';

const AUDITORS = ['auditor', 'admin'] as const;
const CONTENT_TYPE = 'application/jsonl; charset=utf-8';

type One = { Params: { id: string } };

const bundleSchema = (summary: string, params: object, ...errors: number[]) => ({
  summary,
  description:
    'JSON Lines, as docs/bundle-format.md says. The last line is the signature: an answer that was cut short has none. Of what runs still it is as far as that has come, and says so.',
  tags: ['audit'],
  params,
  response: answers(
    {
      200: textAnswer('The bundle.', 'application/jsonl', '{"body":{"v":"holdfast.bundle/3"},"kind":"bundle","n":0,"prev":null}'),
    },
    404,
    ...errors,
  ),
});

export const bundles: Route = (app, parts) => {
  // Without HEAD: it would make a bundle that nobody reads.
  const config = { config: { roles: AUDITORS }, exposeHeadRoute: false };

  app.get<One>(
    '/v1/turns/:id/bundle',
    { schema: bundleSchema('The audit bundle of a turn, or of a direct call', turnParams, 409), ...config },
    async ({ principal, params: { id } }, reply) => {
      const { turn } = await visibleTurn(parts, principal, id);
      return streamBundle(reply, await parts.client(), { turn: turn.id });
    },
  );

  app.get<One>(
    '/v1/sessions/:id/bundle',
    { schema: bundleSchema('The audit bundle of a session', sessionParams, 409), ...config },
    async ({ principal, params: { id } }, reply) => {
      const { holdfast } = await visibleSession(parts, principal, id);
      return streamBundle(reply, holdfast, { session: id });
    },
  );
};

const reportSchema = {
  summary: 'The audit report of a turn, as a page for people',
  description:
    'One HTML file, as `holdfast audit report` makes it: verified with the keys that this gateway trusts. To be saved: it runs nothing in the origin of this gateway.',
  tags: ['audit'],
  params: turnParams,
  response: answers(
    {
      200: textAnswer('The page.', 'text/html', '<!doctype html>…'),
      413: errorAnswer('The bundle is too large to be held; use the command line.'),
    },
    404,
    409,
  ),
};

const whatIfBody = z
  .strictObject({
    rules: z
      .union([jsonObject, z.string().max(50_000)])
      .optional()
      .describe('Permission rules instead of the recorded ones: `{mode, allow, ask, deny}`, or the same as YAML.'),
    approvals: z
      .union([jsonObject, z.string().max(50_000)])
      .optional()
      .describe('Another approver policy: `{quorum, roles, …}`, or the same as YAML.'),
    limits: jsonObject.optional().describe('Other limits: `{steps, tokens, cost_usd}`, any of them.'),
    agent: z.string().max(64).optional().describe("Whose; default: the turn's agent."),
  })
  .describe('At least one of `rules`, `approvals` and `limits`.');

const whatIfSchema = {
  summary: 'What other rules, limits or approvers would have decided',
  description:
    'As `holdfast audit what-if`: which of the recorded calls would have been allowed, asked or refused. Runs nothing.',
  tags: ['audit'],
  params: turnParams,
  headers: postHeaders,
  body: body(whatIfBody, { rules: { deny: ['pay_invoice when input.cents > 100000'] } }),
  response: answers(
    {
      200: answer('Each call, as it was and as it would be.', whatIfShape, {
        agent: 'payables',
        differences: 0,
        unknown: 0,
        turns: [],
      }),
      413: errorAnswer('The bundle is too large to be held; use the command line.'),
    },
    404,
    409,
  ),
};

export const madeOfBundles: Route = (app, parts) => {
  const config = { roles: AUDITORS };

  app.get<One>(
    '/v1/turns/:id/report',
    { schema: reportSchema, config, exposeHeadRoute: false },
    async ({ principal, params: { id } }, reply) => {
      const { turn } = await visibleTurn(parts, principal, id);
      const [{ html, report }, { readReport }] = await Promise.all([
        import('../../audit/report/index.js'),
        import('../../audit/report/read-report.js'),
      ]);
      const trust = (await parts.trust?.()) ?? [];
      const page = await withBundle(await parts.client(), turn.id, async (open) => html(report(await readReport(open, trust))));
      return reply
        .type('text/html; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName(id)}.html"`)
        .header('content-security-policy', REPORT_POLICY)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'private, no-store')
        .send(page);
    },
  );

  app.post<One & { Body: z.infer<typeof whatIfBody>; Reply: WhatIfAnswer }>(
    '/v1/turns/:id/what-if',
    { schema: whatIfSchema, config },
    async ({ principal, params: { id }, body: { rules, approvals, limits, agent } }, reply) => {
      const { turn } = await visibleTurn(parts, principal, id);
      const text = (value: object | string | undefined) => (typeof value === 'object' ? JSON.stringify(value) : value);
      const proposal = optional({ rules: text(rules), approvals: text(approvals), limits: text(limits), agent });
      const answered = await withBundle(await parts.client(), turn.id, (_open, lines) =>
        whatIfInThread({ bundle: Buffer.concat(lines), proposal }, principal.name),
      );
      return reply.header('cache-control', 'no-store').send(answered);
    },
  );
};

/** A page that is opened all the same may run nothing, send nothing and ask for nothing. */
const REPORT_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Bytes of a bundle that is held in memory, and how many are at once. */
const MOST_BYTES = 10_000_000;
const BUNDLES_AT_ONCE = 2;
let openBundles = 0;

/** Makes something of the bundle of a turn, which it may read several times. @throws Refusal 413, 429 */
async function withBundle<T>(
  holdfast: HoldfastClient,
  turn: string,
  use: (open: () => AsyncIterable<Buffer>, lines: Buffer[]) => Promise<T>,
): Promise<T> {
  if (openBundles >= BUNDLES_AT_ONCE) {
    const message = 'This gateway makes as many reports as it can; try again in a moment.';
    throw new Refusal({ code: 'RATE_LIMITED', reason: 'busy', message, retryAfterMs: 2000 });
  }
  openBundles += 1;
  try {
    const bundle = await bundleLines(holdfast, turn);
    return await use(() => withPauses(bundle), bundle);
  } finally {
    openBundles -= 1;
  }
}

async function bundleLines(holdfast: HoldfastClient, turn: string): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  let size = 0;
  for await (const text of holdfast.bundle({ turn }, { chained: false })) {
    const line = Buffer.from(text);
    size += line.length;
    lines.push(line);
    if (size <= MOST_BYTES) continue;
    const message = `The bundle of this turn has more than ${MOST_BYTES} bytes.`;
    const hint = 'Save the bundle, and use the command line: `holdfast audit report`, `holdfast audit what-if`.';
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bundle_too_large', message, hint, status: 413 });
  }
  return lines;
}

/** Other requests have their turn between the lines. */
async function* withPauses(lines: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const [index, line] of lines.entries()) {
    if (index % LINES_AT_ONCE === 0) await setImmediate();
    yield line;
  }
}

const LINES_AT_ONCE = 20;

function fileName(id: string): string {
  return id.replace(/[^A-Za-z0-9._-]/g, '_');
}

/** The first line is made before the answer begins, so that an error at the start is answered as an error. */
async function streamBundle(reply: FastifyReply, holdfast: HoldfastClient, of: BundleOf): Promise<FastifyReply> {
  // Reading changes nothing: only a bundle that is stored becomes a link of the chain.
  const lines = holdfast.bundle(of, { chained: false });
  const first = await lines.next();
  const all = async function* () {
    try {
      if (!first.done) yield first.value;
      yield* lines;
    } finally {
      await lines.return(undefined);
    }
  };
  const name = fileName('session' in of ? `session-${of.session}` : of.turn);
  return reply
    .type(CONTENT_TYPE)
    .header('content-disposition', `attachment; filename="${name}.jsonl"`)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-store')
    .send(Readable.from(all(), { objectMode: false }));
}
