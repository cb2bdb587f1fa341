/** `doctor --cloud`: what Temporal Cloud asks for, and what differs there, from the settings and from the server's answers. */
import type { Config } from '../../config';
import { NAMESPACE_ATTRIBUTES } from '../../shared/search-attributes';
import { fault, fine, warn, type Finding } from './findings';
import type { ServerFacts } from './server-facts';

const CLOUD = /\.(tmprl\.cloud|api\.temporal\.io)(:\d+)?$/;
const MB = 1024 * 1024;
/** Largest payload on Temporal Cloud. Ours stay below 100 KB: larger texts are parts of the store. */
const CLOUD_BLOB = 2 * MB;
const LONGEST_RETENTION_DAYS = 90;

export function examineCloud(config: Config, server: ServerFacts | null): Finding[] {
  const { address, namespace, connectionOptions } = config.temporal;
  return [
    CLOUD.test(address)
      ? fine('address', address)
      : warn(
          'address',
          `${address} is none of Temporal Cloud`,
          'TEMPORAL_ADDRESS=NAMESPACE.ACCOUNT.tmprl.cloud:7233, or REGION.PROVIDER.api.temporal.io:7233 with an API key',
        ),
    /^[a-z0-9-]+\.[a-z0-9]+$/.test(namespace)
      ? fine('namespace name', namespace)
      : fault('namespace name', `${namespace} has no account`, 'TEMPORAL_NAMESPACE=NAMESPACE.ACCOUNT'),
    examineCredentials(connectionOptions),
    config.codecKeys === null
      ? warn(
          'encryption',
          'off: Temporal Cloud keeps inputs, cards and notes in plain text',
          'HOLDFAST_CODEC_KEYS, and a codec server for its Web UI (docs/encryption.md)',
        )
      : fine('encryption', 'payloads are encrypted; the Web UI needs a codec server'),
    ...(server === null ? [] : examineLimits(server)),
    fine(
      'dynamic settings',
      'none can be set there: a round trip takes longer than with docker/dynamicconfig.yaml (docs/operations.md, Speed)',
    ),
    fine(
      'updates',
      '10 at once and 2,000 in a run of a workflow: further decisions at one moment are tried again; a long session goes on in a new run',
    ),
    fine('history', '51,200 events or 50 MB a run, as everywhere: sessions and entities go on in a new run before'),
  ];
}

function examineCredentials({ tls, apiKey }: Config['temporal']['connectionOptions']): Finding {
  const what = 'credentials';
  const hasCertificate = typeof tls === 'object' && tls !== null && tls.clientCertPair !== undefined;
  const hasKey = apiKey !== undefined && apiKey !== '';
  if (tls === undefined || tls === null || tls === false)
    return fault(what, 'TLS is off', 'TEMPORAL_API_KEY_FILE, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH');
  if (hasKey && hasCertificate)
    return warn(what, 'both an API key and a certificate are set', 'keep the one that the namespace asks for');
  if (hasKey || hasCertificate) return fine(what, hasKey ? 'an API key, over TLS' : 'mTLS, with a certificate');
  return fault(
    what,
    'TLS without an API key or a certificate',
    'TEMPORAL_API_KEY_FILE, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  );
}

function examineLimits({ blobLimit, retentionMs }: ServerFacts): Finding[] {
  const megabytes = blobLimit === null ? 'not told; 2 MB there' : `${Math.round((blobLimit / MB) * 10) / 10} MB`;
  const days = retentionMs === null ? null : Math.round(retentionMs / 86_400_000);
  return [
    blobLimit !== null && blobLimit < CLOUD_BLOB
      ? warn('payload limit', megabytes, 'ask for the usual 2 MB: a card may have 24 KB a section, and a step 64 calls')
      : fine('payload limit', `${megabytes}; ours are references, and texts of at most 24 KB a section`),
    ...(days === null
      ? []
      : [
          days > LONGEST_RETENTION_DAYS
            ? warn(
                'longest retention',
                `${days} days`,
                `Temporal Cloud keeps ended turns for ${LONGEST_RETENTION_DAYS} days at most: bundles outlast that (docs/retention.md)`,
              )
            : fine('longest retention', `${days} days`),
        ]),
  ];
}

/** The command that makes what is missing: the server's own operator service is closed there. */
export function searchAttributesTodo(namespace: string, missing: readonly string[]): string {
  const flags = missing.map((name) => `--search-attribute "${name}=${NAMESPACE_ATTRIBUTES.get(name) ?? 'Keyword'}"`).join(' ');
  return `tcld namespace search-attributes add --namespace ${namespace} ${flags}`;
}
