/** Builds the gateway's HTTP server: its routes, one file each, and what all of them share. */
import cors from '@fastify/cors';
import { DEFAULT_HTTP_RATE } from '../config';
import { parseJson } from '../shared/json/parse-json';
import { SITE_HINT, siteFault, type Site } from '../shared/wire/cross-site-check';
import fastify, { type FastifyInstance } from 'fastify';
import { authenticateRequests } from './auth/authenticate';
import {
  bodyText,
  validatorOf,
  answerBadAddress,
  answerBrokenHttp,
  refuseOtherMethods,
  limitRates,
  startLimit,
} from './http/before-routes';
import { answerWith, Refusal, wrongOf } from './http/errors';
import { type HttpMetrics, httpMetrics, observeRequests, requestIdOf, traceRequests } from './http/observe';
import { holdKeysToBodies } from './http/idempotency';
import { describeApi } from './http/openapi';
import { agents } from './routes/agents';
import { answers } from './routes/answers';
import { files } from './files';
import { blocks } from './routes/blocks';
import { bundles, madeOfBundles } from './routes/bundles';
import { calls } from './routes/calls';
import { decisions } from './routes/decisions';
import { healthz, metrics, readyz } from './routes/health';
import { pending } from './routes/inbox';
import { deputies } from '../deputies/route';
import { schedules } from '../schedules/route';
import { stop } from '../stop/route';
import { triggers } from '../triggers/route';
import { completions } from '../completions/route';
import { passkeyDecisions } from '../passkeys/decision';
import { passkeys } from '../passkeys/registration';
import { mcp } from '../protocols/mcp/route';
import { oidc } from './routes/oidc';
import { records } from './routes/records';
import { sessions } from './routes/sessions';
import { signIn } from './routes/sign-in';
import { streams, tickets } from './routes/streams';
import { tools } from './routes/tools';
import { turns } from './routes/turns';
import { browserSignInOf, type BrowserSignIn } from './auth/browser-sign-in';
import { ticketsOf } from './auth/principals';
import { a2a } from '../protocols/a2a/route';
import { allowCodecPages, codec, codecPages } from '../codec-server/route';
import { agUi } from '../protocols/agui/route';
import { protectAnswers } from '../page/headers';
import { page } from '../page/page';
import type { GatewayParts, Route } from './route';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts when the gateway is about to close, so that streams end by themselves. */
    draining: AbortSignal;
    /** Null: the package prom-client is not installed. */
    metrics: HttpMetrics | null;
    /** Null: nobody can sign in at the page. */
    browserSignIn: BrowserSignIn | null;
  }
}

const ROUTES: Route[] = [
  healthz,
  readyz,
  metrics,
  turns,
  bundles,
  madeOfBundles,
  sessions,
  calls,
  decisions,
  answers,
  passkeyDecisions,
  passkeys,
  deputies,
  pending,
  stop,
  records,
  schedules,
  triggers,
  completions,
  agents,
  tools,
  streams,
  tickets,
  blocks,
  files,
  mcp,
  agUi,
  a2a,
  signIn,
  oidc,
  page,
];
/** Those of a process that is a codec server only. */
export const CODEC_ROUTES: readonly Route[] = [healthz, readyz];
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 1_000_000;
const MAX_PARAM_LENGTH = 500;

/**
 * @param draining aborts when the gateway is about to close
 * @param routes beside those of the codec server
 */
export function gatewayApp(
  parts: GatewayParts,
  draining: AbortSignal = new AbortController().signal,
  routes: readonly Route[] = ROUTES,
): FastifyInstance {
  const { store, log, authenticator, requestsPerMinute = DEFAULT_HTTP_RATE, corsOrigins = [], proxies = 0 } = parts;
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: proxies > 0 && ((_address: string, hop: number) => hop < proxies),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: answerBadAddress,
  });
  const browserSignIn = browserSignInOf(parts);
  app.decorate('draining', draining).decorate('metrics', httpMetrics()).decorate('browserSignIn', browserSignIn);
  app.decorateRequest('principal');
  app.setValidatorCompiler(validatorOf);
  // Response schemas only describe: a field that they do not know must not be left out of an answer.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.removeContentTypeParser('text/plain');
  // Strict: of two equal keys the gateway could read one, while the client meant the other.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, callback) => {
    try {
      callback(null, parseJson(bodyText(request.headers, body as Buffer)));
    } catch (error) {
      callback(error instanceof Refusal ? error : Object.assign(error as Error, { statusCode: 400 }));
    }
  });
  // A connection that stays open after its last answer would delay the close until the drain time is over.
  app.addHook('onSend', async (_request, reply) => {
    if (draining.aborted) reply.header('connection', 'close');
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `There is no ${request.method} ${request.url.split('?')[0]!.slice(0, 200)} here.`;
    return answerWith(reply, { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_route', message });
  });
  app.setErrorHandler((error, request, reply) => {
    const wrong = wrongOf(error);
    if (wrong !== null) return answerWith(reply, wrong);
    log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
    const message = 'The request could not be answered; the log of the gateway says why.';
    return answerWith(reply, { code: 'EXECUTION_ERROR', reason: 'gateway_failed', message });
  });
  protectAnswers(app);
  observeRequests(app, log, app.metrics);
  traceRequests(app);
  refuseOtherSites(
    app,
    { publicUrl: parts.publicUrl, hosts: parts.hosts, origins: corsOrigins, localPages: true },
    codecPages(parts),
  );
  refuseOtherMethods(app);
  void app.register(async (scope) => {
    // First: a browser's preflight request has no token.
    if (corsOrigins.length > 0) await scope.register(cors, corsOptions(corsOrigins));
    const countNobody = await limitRates(scope, requestsPerMinute);
    await describeApi(scope);
    authenticateRequests(scope, { authenticator, tickets: ticketsOf(store), signIn: browserSignIn }, countNobody);
    holdKeysToBodies(scope, store, startLimit(parts));
    for (const route of routes) route(scope, parts);
  });
  // Apart from the others: pages of the Web UI may ask here, and nowhere else.
  void app.register(async (scope) => {
    allowCodecPages(scope, parts);
    const countNobody = await limitRates(scope, requestsPerMinute);
    authenticateRequests(scope, { authenticator, tickets: ticketsOf(store), signIn: browserSignIn }, countNobody);
    codec(scope, parts);
  });
  return app;
}

/** Applies to every route, before anything else of the request is read. */
function refuseOtherSites(app: FastifyInstance, site: Site, isCodecPage: (url: string, origin: string) => boolean): void {
  app.addHook('onRequest', async ({ url, headers, socket }) => {
    const { origin } = headers;
    const isKnown = origin !== undefined && isCodecPage(url, origin);
    const message = siteFault(isKnown ? { host: headers.host } : headers, socket.localAddress, site);
    if (message !== null) throw new Refusal({ code: 'PERMISSION_DENIED', reason: 'wrong_site', message, hint: SITE_HINT });
  });
}

const ALLOWED_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'x-request-id'];
const MCP_HEADERS = ['mcp-session-id', 'mcp-protocol-version'];
const A2A_HEADERS = ['a2a-version', 'a2a-extensions'];

function corsOptions(origins: readonly string[]): object {
  return {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [...ALLOWED_HEADERS, ...MCP_HEADERS, ...A2A_HEADERS],
    exposedHeaders: ['x-request-id', 'retry-after', 'mcp-session-id'],
    maxAge: 600,
  };
}
