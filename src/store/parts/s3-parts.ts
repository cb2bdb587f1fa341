/**
 * A part store in a bucket of S3, or of a server that speaks its API. Objects are never changed: each is written on the condition that
 * it is not there. Credentials, region and proxies come from the SDK's own chain (AWS_…, profiles, roles).
 */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { optionalPackage } from '../../optional-package';
import { errorMessage } from '../../shared/text/error-message';
import { StoreServerError } from '../store';
import { partName, readPartName, type PartStore } from './part-store';

type Sdk = typeof import('@aws-sdk/client-s3');

const CONNECT_WITHIN_MS = 5000;
/** For the beginning of an answer, and between two pieces of it. */
const ANSWER_WITHIN_MS = 30_000;
/** With the SDK's growing pauses about 25 s, as long as a restart takes. */
const ATTEMPTS = 10;
/** Most names in one request that deletes. */
const DELETED_AT_ONCE = 1000;

export interface PartsAddress {
  bucket: string;
  /** Empty, or with `/` at its end. */
  prefix: string;
  /** Null: S3 itself, or what AWS_ENDPOINT_URL names. */
  endpoint: string | null;
}

/** @param text as HOLDFAST_PARTS @throws Error in one line */
export function partsAddressOf(text: string): PartsAddress {
  const [, bucket, path = '', query = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?(?:\?(.*))?$/.exec(text) ?? [];
  const options = new URLSearchParams(query);
  const endpoint = options.get('endpoint');
  options.delete('endpoint');
  if (bucket === undefined || options.size > 0 || (endpoint !== null && !isEndpoint(endpoint)))
    throw new Error(
      'HOLDFAST_PARTS names no bucket; allowed: s3://BUCKET/PREFIX, or s3://BUCKET/PREFIX?endpoint=https://HOST:PORT for another server than AWS',
    );
  const prefix = path.replace(/^\/+|\/+$/g, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/`, endpoint };
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

export class S3Parts implements PartStore {
  private readonly sdk = optionalPackage<Sdk>('@aws-sdk/client-s3', 'HOLDFAST_PARTS');
  private readonly client: S3Client;
  private readonly address: PartsAddress;
  /** What the names of this store begin with. */
  private readonly folder: string;
  private trial: Promise<void> | null = null;

  /**
   * @param text as HOLDFAST_PARTS
   * @param storeId of the store with the rows: several may share a bucket and a prefix
   * @throws Error in one line; PackageMissing
   */
  constructor(
    text: string,
    storeId: string,
    private readonly clock: () => number = Date.now,
  ) {
    this.address = partsAddressOf(text);
    const endpoint = this.address.endpoint ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
    this.folder = `${this.address.prefix}${storeId}/`;
    this.client = new this.sdk.S3Client({
      ...(endpoint ? { endpoint, forcePathStyle: true, region: process.env.AWS_REGION ?? 'us-east-1' } : {}),
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECT_WITHIN_MS,
        requestTimeout: ANSWER_WITHIN_MS,
        socketTimeout: ANSWER_WITHIN_MS,
        throwOnRequestTimeout: true,
      },
      // Each object goes with its SHA-256, and is hashed again when it is read.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  get where(): string {
    return `s3://${this.address.bucket}/${this.folder}`;
  }

  /** A server that knows no conditions (NotImplemented) gets none: two writers of one name write the same. */
  async put(bytes: Uint8Array): Promise<string> {
    const digest = createHash('sha256').update(bytes).digest();
    const name = partName(digest.toString('hex'), this.clock());
    const object = { ...this.at(name), Body: bytes, ContentLength: bytes.length, ChecksumSHA256: digest.toString('base64') };
    await this.asking(async () => {
      try {
        await this.client.send(new this.sdk.PutObjectCommand({ ...object, IfNoneMatch: '*' }));
      } catch (error) {
        const code = codeOf(error);
        if (code === 'PreconditionFailed') return; // it is there already
        if (code === 'ConditionalRequestConflict' || code === 'NotImplemented')
          await this.client.send(new this.sdk.PutObjectCommand(object));
        else throw error;
      }
    });
    return name;
  }

  /** The SDK repeats a request that fails, but not one whose answer breaks off. */
  async get(name: string): Promise<Buffer | null> {
    return this.asking(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const { Body: body } = await this.client.send(new this.sdk.GetObjectCommand(this.at(name)));
          return Buffer.from((await body?.transformToByteArray()) ?? []);
        } catch (error) {
          if (codeOf(error) === 'NoSuchKey') return null;
          if (attempt === 3 || !BROKEN_OFF.test(codeOf(error))) throw error;
          await wait(attempt * 500);
        }
      }
    });
  }

  async *list(): AsyncGenerator<{ name: string; size: number }> {
    for (let token: string | undefined; ;) {
      const more = token === undefined ? {} : { ContinuationToken: token };
      const page = await this.asking(() =>
        this.client.send(new this.sdk.ListObjectsV2Command({ Bucket: this.address.bucket, Prefix: this.folder, ...more })),
      );
      for (const { Key: key, Size: size } of page.Contents ?? []) {
        const name = (key ?? '').slice(this.folder.length);
        if (readPartName(name) !== null) yield { name, size: size ?? 0 };
      }
      token = page.NextContinuationToken;
      if (token === undefined) return;
    }
  }

  async remove(names: string[]): Promise<void> {
    for (let start = 0; start < names.length; start += DELETED_AT_ONCE) {
      const objects = names.slice(start, start + DELETED_AT_ONCE).map((name) => ({ Key: this.at(name).Key }));
      const { Errors: errors = [] } = await this.asking(() =>
        this.client.send(
          new this.sdk.DeleteObjectsCommand({ Bucket: this.address.bucket, Delete: { Objects: objects, Quiet: true } }),
        ),
      );
      if (errors.length > 0) throw this.errorOf(Object.assign(new Error(errors[0]!.Message), { name: errors[0]!.Code }));
    }
  }

  /** Once at a time: readiness asks often. */
  check(): Promise<void> {
    this.trial ??= this.tryOut().finally(() => (this.trial = null));
    return this.trial;
  }

  close(): void {
    this.client.destroy();
  }

  private async tryOut(): Promise<void> {
    const ready = { Bucket: this.address.bucket, Key: `${this.folder}ready` };
    await this.asking(async () => {
      await this.client.send(new this.sdk.PutObjectCommand({ ...ready, Body: 'ready' }));
      const { Body: body } = await this.client.send(new this.sdk.GetObjectCommand(ready));
      await body?.transformToByteArray();
    });
  }

  private at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.address.bucket, Key: `${this.folder}${name}` };
  }

  private async asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.errorOf(error);
    }
  }

  private errorOf(error: unknown): Error {
    const code = codeOf(error);
    const reason = errorMessage(error).split('\n')[0]!.slice(0, 300) || code;
    const todo = TODO[code] ?? 'If it goes on, the log of that server says more.';
    const at = this.address.endpoint === null ? '' : ` at ${this.address.endpoint}`;
    const message = `HOLDFAST_PARTS (${this.where}${at}): ${reason.includes(code) ? reason : `${reason} (${code})`}. ${todo}`;
    return new StoreServerError(message, code, PASSING.test(code));
  }
}

const BROKEN_OFF = /^(?:ECONNRESET|EPIPE|ETIMEDOUT|ERR_STREAM_PREMATURE_CLOSE|TimeoutError)$|aborted/;

/** After these the SDK has tried several times, and the same request may succeed a little later. */
const PASSING =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|TimeoutError|SlowDown|ServiceUnavailable|InternalError)$|aborted/;

/** Code of the API, the SDK or the system → what to do. */
const TODO: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Create the bucket, or name another one.',
  AccessDenied: 'Allow these credentials s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket there.',
  InvalidAccessKeyId: 'Are the credentials (AWS_ACCESS_KEY_ID, a profile, a role) those of this server?',
  SignatureDoesNotMatch: 'Is the secret key right (AWS_SECRET_ACCESS_KEY), and the region (AWS_REGION)?',
  CredentialsProviderError:
    'Give credentials as the AWS SDK reads them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  PermanentRedirect: 'Set AWS_REGION to the region of the bucket.',
  AuthorizationHeaderMalformed: 'Set AWS_REGION to the region of the bucket.',
  ECONNREFUSED: 'Does the server run there?',
  ENOTFOUND: 'Is the host name right? Another server than AWS is named by ?endpoint=… or AWS_ENDPOINT_URL.',
  EAI_AGAIN: 'Is the host name right?',
  SlowDown: 'The server asks for fewer requests.',
};

/** The code of the API stands in `name`, that of the system in `code`. */
function codeOf(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' && name !== 'Error' ? name : errorMessage(error) === 'aborted' ? 'aborted' : '';
}
