/**
 * The table of settings: each variable with its schema, its default, and the texts about it. `docs/configuration.md` is generated
 * from it.
 */
import { z } from 'zod';
import { withoutPassword } from '../shared/text/secrets';
import { ConfigError } from './error';
import { callbackHosts, hosts, jwt, origins, proxies, requestsPerMinute, startLimit } from './http';
import * as is from './schemas';
import * as signIn from './sign-in';

export interface Setting {
  schema: z.ZodType<unknown, string>;
  /** What the value must be: the end of an error. */
  allowed: string;
  /** What it is for, in Markdown, in one sentence; links lead from `docs/`. */
  about: string;
  /** What else a reader of the page has to know: a paragraph below the table of its group. */
  details?: string;
  /** The value that applies if it is not set. */
  default?: string;
  /** The same in words, if it follows from other settings. */
  unset?: string;
  /** Its value is never shown. */
  secret?: true;
}

const url = z.url({ protocol: /^https?$/ });
const openUrl = url.refine(is.hasNoPassword);
const path = z.string();
const LOG_LEVEL = { schema: z.enum(is.LOG_LEVELS), allowed: 'trace, debug, info, warn, error, fatal or silent' };
const PRIVATE_KEY_FILE = { schema: path, allowed: 'the path of a private key, in PKCS8 PEM' };
const OPEN_URL = { schema: openUrl, allowed: 'an http or https URL without a password' };
const CHAT_URL = {
  schema: openUrl.refine(is.isSafeUrl),
  allowed: 'an https URL (or http on localhost) without a password',
  secret: true,
} as const;

const PLACES = {
  HOLDFAST_CONFIG: {
    schema: path,
    allowed: 'the path of a module, or off',
    unset: '`holdfast.config.ts` beside the app or in the working directory, where there is one',
    about: 'The module that has settings ([above](#a-file-of-settings)).',
  },
  HOLDFAST_HOME: {
    schema: path,
    allowed: 'a folder',
    default: '.holdfast',
    about: 'State of the embedded stack, keys and bundles; caught mail is in `outbox/`.',
  },
  HOLDFAST_STORE: {
    schema: z.string().regex(/^(file:.+|postgres(ql)?:\/\/.+)$/),
    allowed: 'file:PATH or postgres://…',
    unset: '`store` below `HOLDFAST_HOME`',
    about:
      'All workers of a task queue share one store: `file:PATH`, or `postgres://USER:PASSWORD@HOST/DATABASE` for workers on several hosts ([operations.md](operations.md)).',
  },
  HOLDFAST_PARTS: {
    schema: z.string().regex(/^s3:\/\/.+/),
    allowed: 's3://BUCKET/PREFIX',
    unset: 'in `HOLDFAST_STORE`',
    about:
      'Where large parts and files are: a bucket of S3 or, with `?endpoint=https://HOST:PORT`, of a server that speaks its API ([operations.md](operations.md#large-parts-in-s3)).',
    details: 'All workers and gateways of a store share it.',
  },
  HOLDFAST_CACHE: {
    schema: path,
    allowed: 'a folder',
    unset: '`holdfast` below `XDG_CACHE_HOME`, else below `~/.cache`',
    about: 'Copies of what can be fetched again; all workers of a host share it, and with it EDGAR’s rate limit.',
  },
  HOLDFAST_TEMPORAL_CLI: {
    schema: path,
    allowed: 'the path of a temporal binary',
    unset: 'found, downloaded or built',
    about: 'The embedded Temporal server.',
  },
  HOLDFAST_TIME_SERVER: {
    schema: path,
    allowed: 'the path of an executable, or of a folder with jars',
    unset: 'none: `testAgent` takes the embedded server',
    about: 'Temporal’s time-skipping test server, for `testAgent` alone ([testing-agents.md](testing-agents.md)).',
  },
  HOLDFAST_UI_URL: {
    schema: url,
    allowed: 'an http or https URL',
    unset: 'the embedded Web UI',
    about: 'Base of the Web UI’s addresses, for links.',
  },
  HOLDFAST_LIVE: {
    schema: z.string().regex(/^(off|postgres(ql)?:\/\/.+)$/),
    allowed: 'postgres://… or off',
    unset: '`HOLDFAST_STORE` where that is PostgreSQL, else in process',
    about: 'How text and progress reach the gateway as they come: `postgres://…` or `off` ([streams.md](streams.md)).',
  },
  HOLDFAST_LOG_LEVEL: {
    ...LOG_LEVEL,
    unset: '`LOG_LEVEL`, else `info`; `warn` for the embedded stack',
    about: 'The least that is written.',
  },
  LOG_LEVEL: { ...LOG_LEVEL, about: 'The same, for a setting that all programs share.' },
} satisfies Settings;

const MODEL = {
  HOLDFAST_MODEL: {
    schema: z.enum(['anthropic', 'openai', 'rehearsal']),
    allowed: 'anthropic, openai or rehearsal',
    unset: '`anthropic` with a key, a token or an address, else `rehearsal`',
    about: 'Who answers for models that the app gives no provider ([models.md](models.md)).',
    details:
      '`rehearsal` is a script behind the same wire, for trying things out; if it is set here, it plays all models of the app.',
  },
  ANTHROPIC_API_KEY: {
    schema: z.string(),
    allowed: 'an API key',
    secret: true,
    about: 'The key for the model ([models.md](models.md)).',
  },
  ANTHROPIC_AUTH_TOKEN: { schema: z.string(), allowed: 'a bearer token', secret: true, about: 'A token instead of the key.' },
  ANTHROPIC_BASE_URL: {
    schema: url,
    allowed: 'an http or https URL',
    unset: 'Anthropic’s own',
    about: 'Where the Messages API is.',
  },
  ANTHROPIC_MODEL: {
    schema: z.string().max(200),
    allowed: 'a model id',
    unset: 'the agent’s, else the default of this version',
    about: 'The model of agents that name none.',
  },
  OPENAI_API_KEY: { schema: z.string(), allowed: 'an API key', secret: true, about: 'The key for models of OpenAI.' },
  OPENAI_BASE_URL: {
    schema: url,
    allowed: 'an http or https URL',
    unset: 'OpenAI’s own',
    about: 'Where OpenAI’s API is, or a server that speaks it; such a server may need no key.',
  },
  OPENAI_MODEL: {
    schema: z.string().max(200),
    allowed: 'a model id',
    about: 'The model of agents that name none, with `HOLDFAST_MODEL=openai`.',
  },
  OPENAI_API: {
    schema: z.enum(['responses', 'chat']),
    allowed: 'responses or chat',
    unset: '`chat` with `OPENAI_BASE_URL`, else `responses`',
    about: 'Which of OpenAI’s APIs is spoken: other servers mostly have chat completions.',
  },
  HOLDFAST_TOOL_CALLS: {
    schema: z.enum(['native', 'prompted']),
    allowed: 'native or prompted',
    unset: '`native`',
    about: '`prompted` for a model without a tool API: it is told of tools in its prompt, and calls them in its text.',
  },
  HOLDFAST_REHEARSAL_FAULTS: {
    schema: is.faults,
    allowed: 'faults with commas between them, such as 429:retry-after=1,529*3,cut,slow:ms=50*all',
    about: 'What goes wrong with the rehearsal’s answers, for tests ([models.md](models.md#faults-of-the-rehearsal)).',
  },
} satisfies Settings;

const WORKER = {
  HOLDFAST_TASK_QUEUE: {
    schema: z.string().max(200),
    allowed: 'a name of at most 200 characters',
    default: 'holdfast',
    about: 'Where workers ask for work, and turns are started.',
  },
  HOLDFAST_BACKUPS: {
    schema: path,
    allowed: 'a file or a folder',
    about:
      'Where backups are written: `holdfast doctor --production` looks how old the newest is ([deployment.md](deployment.md#backups)).',
  },
  HOLDFAST_ENVIRONMENT: {
    schema: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
    allowed: 'a name of at most 64 letters, digits, . _ and -',
    about: 'Where a worker runs: tools that name `environments` exist only in those.',
  },
  HOLDFAST_DEBUG_INFO: {
    schema: z.enum(['on', 'off']).transform((value) => value === 'on'),
    allowed: 'on or off',
    default: 'off',
    about: 'Whether a call that asks for `debug_info` gets it.',
  },
  HOLDFAST_HEALTH_PORT: {
    schema: is.bindAddress,
    allowed: 'a port (on loopback) or HOST:PORT, such as 0.0.0.0:8481',
    unset: 'off',
    about: '`/healthz` and `/readyz` of a worker ([operations.md](operations.md)).',
  },
  HOLDFAST_METRICS_PORT: {
    schema: is.bindAddress,
    allowed: 'a port (on loopback) or HOST:PORT, such as 0.0.0.0:9464',
    unset: 'off',
    about: 'Prometheus’ `/metrics` of a worker.',
  },
  HOLDFAST_OTLP: {
    schema: openUrl,
    allowed: 'an http or https URL without a password',
    unset: '`OTEL_EXPORTER_OTLP_ENDPOINT`, else off',
    about:
      'The collector that gets traces, metrics and log of workers and gateways by OTLP over HTTP, such as http://localhost:4318 ([telemetry.md](telemetry.md)).',
  },
  HOLDFAST_OTLP_CONTENT: {
    schema: z.enum(['on', 'off']).transform((value) => value === 'on'),
    allowed: 'on or off',
    default: 'off',
    about: 'Whether spans have what models read and write, and inputs and results of tools, redacted and cut.',
  },
  HOLDFAST_OTLP_SIGNALS: {
    schema: is.otlpSignals,
    allowed: 'traces, metrics and logs, or some of them, with commas between them',
    default: 'traces,metrics,logs',
    about: 'What is sent there, a worker’s metrics only if `HOLDFAST_METRICS_PORT` is not set.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: openUrl,
    allowed: 'an http or https URL without a password',
    about: 'The same as `HOLDFAST_OTLP`; OpenTelemetry’s other variables apply too.',
  },
  HOLDFAST_DRAIN_SECONDS: {
    schema: is.seconds,
    allowed: 'a number of seconds from 0 to 3600',
    // With the time after it (worker-process.ts), an orderly end stays below the 30 s that Kubernetes grants by default.
    default: '20',
    about: 'How long a worker that is stopped lets running calls end, and a gateway its requests.',
  },
  HOLDFAST_MAX_CACHED_WORKFLOWS: {
    schema: is.cachedWorkflows,
    allowed: 'a number of workflows from 2 to 1000000, or 0 for none',
    unset: 'by the memory that it may use',
    about: 'How many turns a worker keeps in memory, 0.5 MB each ([operations.md](operations.md), *Speed*).',
  },
  HOLDFAST_WORKFLOW_STACKS: {
    schema: z.enum(['on', 'off']).transform((value) => value === 'on'),
    allowed: 'on or off',
    default: 'off',
    about: 'Whether Temporal’s Web UI shows the call stack of a running turn, for debugging.',
    details: 'It costs a worker a third more CPU ([operations.md](operations.md#speed)).',
  },
  // What Temporal accepts: a worker with another name would die a minute after its start. PostgreSQL stores 255 characters of both.
  HOLDFAST_DEPLOYMENT: {
    schema: z.string().regex(/^(?!__)[\w-]{1,100}$/),
    allowed: 'at most 100 letters, digits, - and _, not beginning with __',
    unset: 'unversioned',
    about: 'A worker’s version, with the next one ([deployment.md](deployment.md)).',
    details: 'Turns that a worker begins are pinned to its version. Make the version current, or none begins.',
  },
  HOLDFAST_BUILD_ID: {
    schema: z.string().regex(/^(?!__)[\w.+@/-]{1,100}$/),
    allowed: 'at most 100 letters, digits and . + @ / - _, not beginning with __',
    about: 'New for each version; set both, or neither.',
  },
} satisfies Settings;

const PEOPLE = {
  HOLDFAST_APPROVALS: {
    schema: z.enum(['any', 'attested']),
    allowed: 'any or attested',
    unset: '`any`, on loopback only',
    about: 'Whether only signed decisions count (`attested`), or any ([approvals.md](approvals.md)).',
    details: 'It must be set where Temporal’s server is not on loopback.',
  },
  HOLDFAST_TRUSTED_KEYS: {
    schema: path,
    allowed: 'the path of a file of trusted keys',
    unset: '`keys/trusted.json` below `HOLDFAST_HOME`',
    about: 'Whose signatures count.',
  },
  HOLDFAST_SIGNING_KEY: {
    ...PRIVATE_KEY_FILE,
    unset: '`keys/gateway.pem` below `HOLDFAST_HOME`, where there is one',
    about: 'The gateway’s own key, and the worker’s, which signs the starts of schedules.',
  },
  HOLDFAST_OLD_DIGESTS_UNTIL: {
    schema: z.iso.date().transform((day) => new Date(`${day}T00:00:00Z`)),
    allowed: 'a day such as 2026-12-31 (UTC)',
    unset: '30 days after the upgrade',
    about:
      'Until then destructive calls run of turns that began before calls had digests of version 2 ([approvals.md](approvals.md#what-a-decision-names)).',
  },
  HOLDFAST_GATEWAY_URL: {
    ...OPEN_URL,
    about: 'Through which gateway the command line decides; set it with `HOLDFAST_TOKEN`, or neither.',
  },
  HOLDFAST_TOKEN: {
    schema: z.string().regex(/^[\x21-\x7e]{20,200}$/),
    allowed: 'a token of 20 to 200 characters, as `holdfast keys token` prints it',
    secret: true,
    about: 'As whom the command line speaks to that gateway.',
  },
  HOLDFAST_NOTIFY_WEBHOOK: {
    ...OPEN_URL,
    secret: true,
    about: 'Who is told that somebody must decide ([inbox.md](inbox.md)).',
    details: 'It is secret because many services put a key into the path.',
  },
  HOLDFAST_NOTIFY_SECRET: {
    schema: is.webhookSecret,
    allowed: 'whsec_ and the base64 of 24 to 64 random bytes',
    secret: true,
    about: 'What those messages are signed with.',
  },
  HOLDFAST_NOTIFY_SLACK: {
    ...CHAT_URL,
    about: 'Incoming webhook of the Slack channel that is told ([inbox.md](inbox.md#slack-and-teams)).',
  },
  HOLDFAST_NOTIFY_TEAMS: {
    ...CHAT_URL,
    about: 'Webhook of the workflow that tells a Microsoft Teams channel ([inbox.md](inbox.md#slack-and-teams)).',
  },
  HOLDFAST_NOTIFY_MAIL: {
    schema: is.addresses,
    allowed: 'at most 20 e-mail addresses with commas between them',
    about: 'Who is told by mail.',
  },
} satisfies Settings;

const GATEWAY = {
  HOLDFAST_HTTP_HOST: {
    schema: is.host,
    allowed: 'an address of this machine without a port, such as 127.0.0.1, or 0.0.0.0 for all of them',
    default: '127.0.0.1',
    about: 'Where the gateway listens ([http.md](http.md)).',
  },
  HOLDFAST_HTTP_PORT: { schema: is.port, allowed: 'a port from 1 to 65535', default: '8480', about: 'Its port.' },
  HOLDFAST_PUBLIC_URL: {
    schema: openUrl.refine(is.isPageAddress),
    allowed: 'an https URL (or http on localhost) without a password, ? and #',
    unset: '`http://localhost:` and the port',
    about: 'Where browsers reach the gateway: origin and, behind a proxy, the path.',
    details:
      'Addresses that the gateway gives begin with it, and so do links to the page in messages ([inbox.md](inbox.md)); passkeys are for its host. Workers need it too.',
  },
  HOLDFAST_HOSTS: {
    schema: hosts,
    allowed: 'host names or addresses, in lower case, without ports, with commas between them',
    about:
      'Further names under which our HTTP ports are reached, behind a proxy say ([operations.md](operations.md), *Who may ask*).',
  },
  HOLDFAST_TOKENS: {
    schema: is.principals,
    allowed: 'a JSON list of {"principal":"…","roles":["approver"],"token_sha256":"…"}; `holdfast keys token` makes an entry',
    secret: true,
    unset: 'nobody',
    about: 'Who may speak to the gateway.',
  },
  HOLDFAST_JWT: {
    schema: jwt,
    allowed:
      'JSON such as {"issuer":"https://id.example","audience":"holdfast","jwks_url":"https://id.example/keys"} (docs/http.md)',
    about: 'JWTs that count as well as tokens: issuer, audience, keys ([http.md](http.md)).',
  },
  HOLDFAST_OIDC_ISSUER: {
    schema: signIn.issuer,
    allowed: 'an https URL (or http on localhost) without ? and #',
    about:
      'The OpenID provider where people sign in for the page ([http.md](http.md#sign-in)); ISSUER, CLIENT_ID and GROUPS go together.',
  },
  HOLDFAST_OIDC_CLIENT_ID: {
    schema: signIn.clientId,
    allowed: 'at most 500 printable ASCII characters',
    about: 'As what the gateway is registered there, with the redirect URI `HOLDFAST_PUBLIC_URL` + `/sign-in/oidc/callback`.',
  },
  HOLDFAST_OIDC_CLIENT_SECRET: {
    schema: signIn.clientSecret,
    allowed: 'at most 1000 printable ASCII characters',
    secret: true,
    unset: 'a public client, with PKCE alone',
    about: 'Its secret; give it as `HOLDFAST_OIDC_CLIENT_SECRET_FILE`.',
  },
  HOLDFAST_OIDC_GROUPS: {
    schema: signIn.groups,
    allowed: 'JSON, group to roles, such as {"payments":["approver","treasurer"],"audit":["auditor"]}',
    about: 'Which roles the groups of the provider have here; a person in none of them is refused.',
  },
  HOLDFAST_OIDC_GROUPS_CLAIM: {
    schema: signIn.claimName,
    allowed: 'the name of a claim',
    default: 'groups',
    about: 'The claim that lists the groups.',
  },
  HOLDFAST_OIDC_NAME_CLAIM: {
    schema: signIn.claimName,
    allowed: 'the name of a claim',
    unset: '`email` if the provider has verified it, else `sub`',
    about: 'The claim that becomes the principal’s name, which people must not be able to choose themselves.',
  },
  HOLDFAST_OIDC_TENANT_CLAIM: {
    schema: signIn.claimName,
    allowed: 'the name of a claim',
    unset: 'all are the operator’s',
    about:
      'The claim that becomes the tenant; if it is set, a person without it is refused, and so is one who first came with another tenant or with none ([http.md](http.md#sign-in)).',
  },
  HOLDFAST_OIDC_SCOPES: {
    schema: signIn.scopes,
    allowed: 'scopes with spaces between them, openid among them',
    default: 'openid email',
    about: 'What the provider is asked for.',
  },
  HOLDFAST_SIGN_IN_IDLE_MINUTES: {
    schema: signIn.minutes,
    allowed: 'a number of minutes from 1 to 1440',
    default: '30',
    about: 'A person who does nothing for so long is signed out of the page.',
  },
  HOLDFAST_SIGN_IN_HOURS: {
    schema: signIn.hours,
    allowed: 'a number of hours from 1 to 168',
    default: '12',
    about: 'After so long everybody is signed out.',
  },
  HOLDFAST_CORS_ORIGINS: {
    schema: origins,
    allowed: 'origins such as https://app.example with commas between them',
    about: 'Pages of browsers that may ask.',
  },
  // 100 a second: above what people and most services need, far below what does harm.
  HOLDFAST_HTTP_RATE: {
    schema: requestsPerMinute,
    allowed: 'a number of requests a minute from 1 to 9999999',
    default: '6000',
    about: 'Requests of one principal in a minute.',
  },
  HOLDFAST_START_LIMIT_SECONDS: {
    schema: startLimit,
    allowed: 'a number of seconds from 1 to 99999, or off',
    default: '30',
    about:
      'While 100 tasks or more wait for a worker, and the oldest of them for longer than this, new turns are refused with 429; decisions are not ([operations.md](operations.md#when-workers-cannot-keep-up)).',
  },
  HOLDFAST_HTTP_PROXIES: {
    schema: proxies,
    allowed: 'a number of proxies from 0 to 9',
    default: '0',
    about: 'Proxies before the gateway, whose word on the client’s address counts.',
  },
  HOLDFAST_HTTP_METRICS: {
    schema: z.enum(['token', 'open']),
    allowed: 'token or open',
    default: 'token',
    about: 'Who reads the gateway’s `/metrics`.',
  },
  HOLDFAST_CALLBACK_HOSTS: {
    schema: callbackHosts,
    allowed:
      'host names, in lower case, with commas between them, such as hooks.example,hooks.example:8443,http://10.0.0.7:9000+private',
    unset: 'nowhere',
    about: 'Where `callback_url` may lead; set it with the secret, or neither.',
  },
  HOLDFAST_CALLBACK_SECRET: {
    schema: is.webhookSecret,
    allowed: 'whsec_ and the base64 of 24 to 64 random bytes',
    secret: true,
    about: 'What its messages are signed with.',
  },
} satisfies Settings;

const ENCRYPTION = {
  HOLDFAST_CODEC_KEYS: {
    schema: path,
    allowed: 'the path of a key ring, which only its owner may read',
    unset: 'payloads and the store are plain',
    about:
      'The key ring with which all payloads in Temporal and the content of the store are encrypted ([encryption.md](encryption.md)).',
  },
  HOLDFAST_CODEC_KEYS_COMMAND: {
    schema: z.string(),
    allowed: 'a command that prints a key ring',
    secret: true,
    about: 'The same from a command, instead of a file.',
  },
} satisfies Settings;

const AUDIT = {
  HOLDFAST_BUNDLES: {
    schema: z.string(),
    allowed: 'a folder, or off',
    unset: '`bundles` below `HOLDFAST_HOME`',
    about: 'Where bundles of turns with effects are kept; `off`: nowhere ([retention.md](retention.md)).',
  },
  HOLDFAST_BUNDLE_KEY: {
    ...PRIVATE_KEY_FILE,
    unset: 'a key of our own below `HOLDFAST_HOME`',
    about: 'What signs audit bundles; one of these four at most ([export.md](export.md)).',
  },
  HOLDFAST_BUNDLE_KEY_PEM: { schema: z.string(), allowed: 'a private key, in PKCS8 PEM', secret: true, about: 'The key itself.' },
  HOLDFAST_BUNDLE_SIGNER: {
    schema: z.string(),
    allowed: 'a command that reads bytes and prints their signature',
    secret: true,
    about: 'A command that has the key.',
  },
  HOLDFAST_BUNDLE_SIGNER_PUBLIC: {
    schema: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    allowed: 'a raw Ed25519 public key in base64url: 43 characters',
    about: 'The public half of the command’s key.',
  },
  HOLDFAST_WITNESS_URL: {
    schema: openUrl.refine(is.isSafeUrl),
    allowed: 'an https URL (or http on localhost) without a password',
    unset: 'no witness',
    about: 'The witness that takes down each kept bundle ([witness.md](witness.md)); set it with the token, or neither.',
  },
  HOLDFAST_WITNESS_TOKEN: {
    schema: z.string().regex(/^[\x21-\x7e]{20,200}$/),
    allowed: 'a token of 20 to 200 characters, as `holdfast witness --new-token` prints it',
    secret: true,
    about: 'With which token; give it as `HOLDFAST_WITNESS_TOKEN_FILE`.',
  },
  HOLDFAST_TIMESTAMP_URL: {
    ...OPEN_URL,
    unset: 'no timestamps',
    about: 'The authority by RFC 3161 that timestamps each kept bundle ([witness.md](witness.md)).',
    details: 'It needs the package `asn1js`.',
  },
} satisfies Settings;

const TOOLS = {
  HOLDFAST_MCP: {
    schema: path,
    allowed: 'the path of a file of MCP servers',
    unset: '`mcp.json` below `HOLDFAST_HOME`',
    about: 'MCP servers ([mcp.md](mcp.md)).',
  },
  HOLDFAST_CHILDREN_MAY_READ_SECRETS: {
    schema: is.flag,
    allowed: 'true or false',
    default: 'false',
    about:
      '`true`: `bash` and MCP servers over stdio run also where nothing keeps them from the secrets of this user’s processes ([workspace.md](workspace.md#isolation)).',
  },
  HOLDFAST_WORKSPACE: {
    schema: path,
    allowed: 'a folder',
    unset: '`workspace` below `HOLDFAST_HOME`, in `dev`',
    about: 'The folder of the showcase’s file tools and its shell; a `worker` by itself serves the showcase only if it is set.',
  },
  HOLDFAST_SMTP_HOST: {
    schema: z.string(),
    allowed: 'a host name',
    unset: 'the embedded catcher',
    about: 'Where mail goes out.',
  },
  HOLDFAST_SMTP_PORT: {
    schema: is.port,
    allowed: 'a port from 1 to 65535',
    unset: '587; 465 with TLS from the start',
    about: 'Its port.',
  },
  HOLDFAST_SMTP_SECURE: { schema: is.flag, allowed: 'true or false', default: 'false', about: 'TLS from the start.' },
  HOLDFAST_SMTP_ALLOW_PLAIN: {
    schema: is.flag,
    allowed: 'true or false',
    default: 'false',
    about: '`true`: mail and password also go out without TLS.',
    details:
      'TLS begins at once or by STARTTLS. If the server does not offer it, nothing is sent, unless the server is on loopback and has no login.',
  },
  HOLDFAST_SMTP_USER: { schema: z.string(), allowed: 'a user name', about: 'The login there.' },
  HOLDFAST_SMTP_PASS: { schema: z.string(), allowed: 'a password', secret: true, about: 'Its password.' },
  HOLDFAST_SMTP_FROM: {
    schema: z.string().regex(/^[^\r\n]*@[^\r\n]*$/),
    allowed: 'a sender address',
    about: 'The sender; must be set with the host.',
  },
} satisfies Settings;

const PACKS = {
  HOLDFAST_DATA: {
    schema: z.enum(is.DATA_SOURCES),
    allowed: 'snapshot or edgar',
    default: 'snapshot',
    about:
      'What the finance tools read: `snapshot` (embedded) or `edgar` (live); `--data` wins over it ([finance-data.md](finance-data.md)).',
  },
  HOLDFAST_EDGAR_USER_AGENT: {
    schema: z.string().max(200).refine(is.namesSomeone),
    allowed: 'a name and an e-mail address, in ASCII',
    about: '`Name address@example.com`: the SEC demands it.',
  },
  HOLDFAST_EDGAR_URL: { ...OPEN_URL, unset: 'the SEC’s two hosts', about: 'A mirror of both: `URL/www/…` and `URL/data/…`.' },
  HOLDFAST_WEATHER: {
    schema: z.enum(['sample', 'open-meteo']),
    allowed: 'sample or open-meteo',
    default: 'sample',
    about: 'What the reference pack reads: `open-meteo` asks the real service ([reference-pack.md](reference-pack.md)).',
  },
  HOLDFAST_WEATHER_URL: { ...OPEN_URL, unset: 'Open-Meteo’s hosts', about: 'What stands in their place.' },
  HOLDFAST_DOCUMENTS: {
    schema: path,
    allowed: 'a folder',
    unset: 'the embedded documents',
    about: 'What the reference pack searches.',
  },
  HOLDFAST_EVM_URL: {
    schema: url,
    allowed: 'an http or https URL of a JSON-RPC node',
    secret: true,
    unset: 'the embedded chain, in `dev`',
    about: 'The chain of the onchain pack; URL, CHAIN_ID and ROUTER go together ([onchain.md](onchain.md)).',
    details: 'It is secret because providers put the key into the path.',
  },
  HOLDFAST_EVM_CHAIN_ID: {
    schema: is.chainId,
    allowed: 'the id of a chain, a whole number such as 1 or 31337',
    about: 'As EIP-155 has it.',
  },
  HOLDFAST_EVM_ROUTER: {
    schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    allowed: 'an address: 0x and 40 hexadecimal characters',
    about: 'The contract that swaps.',
  },
  HOLDFAST_EVM_SESSION_KEYS: {
    schema: is.sessionKeys,
    allowed: 'JSON, id to private key: {"treasury":"0x…"}, a key being 0x and 64 hexadecimal characters',
    secret: true,
    about: 'Private keys by id.',
  },
  HOLDFAST_EVM_TOKENS: {
    schema: is.tokens,
    allowed: 'symbols with their addresses: AAA=0x…,BBB=0x…',
    about: 'Those that the model is told of.',
  },
  HOLDFAST_EVM_JOURNAL: {
    schema: path,
    allowed: 'a folder that all workers share',
    unset: '`evm` below `HOLDFAST_HOME`',
    about: 'The swap journal, shared by all workers that use these keys.',
  },
  HOLDFAST_EVM_CONFIRMATIONS: {
    schema: is.confirmations,
    allowed: 'a number of blocks from 1 to 999',
    default: '1',
    about: 'Blocks after which a swap counts.',
  },
  HOLDFAST_EVM_MAX_GAS_COST: {
    schema: z.string().regex(/^[1-9]\d{0,77}$/),
    allowed: 'a whole number of wei',
    unset: '10^18: one whole coin of the chain',
    about: 'What the gas of one swap may cost at most; the card shows it.',
  },
} satisfies Settings;

type Settings = Record<string, Setting>;

/** The settings by purpose, in the order of the reference. */
export const GROUPS: Readonly<Record<string, Settings>> = {
  'Places and logs': PLACES,
  'The model': MODEL,
  Workers: WORKER,
  'People who decide': PEOPLE,
  'The gateway': GATEWAY,
  Encryption: ENCRYPTION,
  'Bundles for the audit': AUDIT,
  'Tools and mail': TOOLS,
  Packs: PACKS,
};

/** What Temporal's own reader makes a connection of; it also takes headers, as TEMPORAL_GRPC_META_NAME. */
const TEMPORAL_VARIABLES = [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_API_KEY',
  'TEMPORAL_PROFILE',
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_CERT_DATA',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_DATA',
] as const;
const TEMPORAL_HEADER = 'TEMPORAL_GRPC_META_';

export type TemporalVariable = (typeof TEMPORAL_VARIABLES)[number] | `${typeof TEMPORAL_HEADER}${string}`;

export function isTemporalVariable(name: string): name is TemporalVariable {
  return TEMPORAL_VARIABLES.some((variable) => variable === name) || name.startsWith(TEMPORAL_HEADER);
}

/** Keys, certificates and headers. */
export function isSecretOfTemporal(name: TemporalVariable): boolean {
  return name === 'TEMPORAL_API_KEY' || name.endsWith('_DATA') || name.startsWith(TEMPORAL_HEADER);
}

export const VARIABLES = { ...PLACES, ...MODEL, ...WORKER, ...PEOPLE, ...GATEWAY, ...ENCRYPTION, ...AUDIT, ...TOOLS, ...PACKS };

export type Variable = keyof typeof VARIABLES;
type ParsedValue<V extends Variable> = z.output<(typeof VARIABLES)[V]['schema']>;
/** Undefined only if there is no default. */
export type Value<V extends Variable> = (typeof VARIABLES)[V] extends { default: string }
  ? ParsedValue<V>
  : ParsedValue<V> | undefined;
export type Reader = <V extends Variable>(name: V) => Value<V>;

/** @throws ConfigError for a value that the table does not allow */
export function readVariable<V extends Variable>(env: NodeJS.ProcessEnv, name: V, fromFile: boolean): Value<V> {
  const { schema, allowed, secret, default: otherwise }: Setting = VARIABLES[name];
  const text = env[name] || otherwise;
  if (text === undefined) return undefined as Value<V>;
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data as Value<V>;
  const quote = fromFile || secret ? 'not usable' : JSON.stringify(withoutPassword(text).slice(0, 200));
  throw new ConfigError(`${name}${fromFile ? '_FILE holds what' : ''} is ${quote}; it must be ${allowed}.`);
}
