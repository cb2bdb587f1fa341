/** Anthropic's models on Amazon Bedrock and Google Vertex AI, through Anthropic's own SDKs for them. Both are optional packages. */
import type { Anthropic } from '@anthropic-ai/sdk';
import { clientFor } from '../../config/secret-variable';
import { optionalPackage } from '../../optional-package';
import { optional } from '../../shared/json/optional';
import type { Vendor } from '../failure';
import { AnthropicProvider, type ClientOptions, type RequestOptions } from './provider';
import { ANTHROPIC } from './vendor';

export interface BedrockOptions extends RequestOptions {
  /** Default: `AWS_REGION`, else us-east-1. */
  region?: string;
  /** A Bedrock API key. Default: `AWS_BEARER_TOKEN_BEDROCK`, else the credentials of AWS. */
  apiKey?: string;
  /** Default: what AWS's own chain of credentials finds. */
  credentials?: { accessKey: string; secretKey: string; sessionToken?: string };
  /** Default: that of the region. */
  baseUrl?: string;
}

export interface VertexOptions extends RequestOptions {
  /** Default: `CLOUD_ML_REGION`. `global` is one, too. */
  region?: string;
  /** Default: `ANTHROPIC_VERTEX_PROJECT_ID`, else that of the credentials. */
  projectId?: string;
  /** A client of google-auth-library. Default: Google's application default credentials. */
  authClient?: object;
  /** Default: that of the region. */
  baseUrl?: string;
}

type ClientClass = new (options: object) => Anthropic;
type VertexClass = new (options: object) => Anthropic & { _authClientPromise?: Promise<unknown> };

export const BEDROCK_PROVIDER = 'anthropic-bedrock';
export const VERTEX_PROVIDER = 'anthropic-vertex';

/** Types of AWS's exceptions inside a stream, and the status that each stands for. */
const BEDROCK_ERRORS: Readonly<Record<string, number>> = {
  internalServerException: 500,
  modelStreamErrorException: 500,
  modelTimeoutException: 504,
  serviceUnavailableException: 529,
  throttlingException: 429,
  validationException: 400,
};

const BEDROCK: Vendor = {
  ...ANTHROPIC,
  api: 'Amazon Bedrock’s form of the Messages API',
  errorTypes: { ...ANTHROPIC.errorTypes, ...BEDROCK_ERRORS },
  advice: {
    key: 'Give the worker valid credentials of AWS (or AWS_BEARER_TOKEN_BEDROCK) and restart it.',
    access: 'Ask AWS for access to this model in this region, or name another model.',
    model: 'Check the model id of Bedrock, and the region.',
    network: 'Check the network, the region and `baseUrl` of the model.',
    address: 'Check `baseUrl` of the model: it must be an endpoint of bedrock-runtime.',
  },
};

const VERTEX: Vendor = {
  ...ANTHROPIC,
  api: 'Vertex AI’s form of the Messages API',
  advice: {
    key: 'Give the worker valid credentials of Google Cloud (`gcloud auth application-default login`, or a service account) and restart it.',
    access: 'Enable this model for the project in Vertex AI’s Model Garden, or name another model.',
    model: 'Check the model id of Vertex AI, the project and the region.',
    network: 'Check the network, the region and `baseUrl` of the model.',
    address: 'Check `baseUrl` of the model: it must be an endpoint of Vertex AI.',
  },
};

export function bedrockProvider({ region, apiKey, credentials, baseUrl, ...options }: BedrockOptions): AnthropicProvider {
  const client = (common: ClientOptions) => {
    const sdk = optionalPackage<{ AnthropicBedrock: ClientClass }>(
      '@anthropic-ai/bedrock-sdk',
      'A model of Anthropic on Bedrock',
    );
    const { accessKey, secretKey, sessionToken } = credentials ?? {};
    const aws = { awsRegion: region, awsAccessKey: accessKey, awsSecretKey: secretKey, awsSessionToken: sessionToken };
    const all = { ...common, ...optional({ ...aws, apiKey, baseURL: baseUrl }) };
    return clientFor('ANTHROPIC', baseUrl, () => new sdk.AnthropicBedrock(all));
  };
  const secrets = [apiKey, credentials?.secretKey, credentials?.sessionToken, process.env.AWS_BEARER_TOKEN_BEDROCK];
  return new AnthropicProvider({
    ...options,
    name: BEDROCK_PROVIDER,
    platform: { client, vendor: BEDROCK, countsTokens: false, secrets },
  });
}

export function vertexProvider({ region, projectId, authClient, baseUrl, ...options }: VertexOptions): AnthropicProvider {
  const client = (common: ClientOptions) => {
    const sdk = optionalPackage<{ AnthropicVertex: VertexClass }>(
      '@anthropic-ai/vertex-sdk',
      'A model of Anthropic on Vertex AI',
    );
    const all = { ...common, ...optional({ region, projectId, authClient, baseURL: baseUrl }) };
    const vertex = clientFor('ANTHROPIC', baseUrl, () => new sdk.AnthropicVertex(all));
    // The SDK looks for credentials at once. Without any, this would end the process; each request says it, too.
    vertex._authClientPromise?.catch(() => undefined);
    return vertex;
  };
  return new AnthropicProvider({
    ...options,
    name: VERTEX_PROVIDER,
    platform: { client, vendor: VERTEX, countsTokens: true, secrets: [] },
  });
}
