/** Serves the app's resources to MCP clients: lists them, reads them, and watches them for changes. */
import { MOST_URI, readUri } from '../../shared/text/uri-template';
import { invalidParams, pageOf, type AppAnswers } from './app-prompts';
import { sdk, type ListResourcesResult, type ListResourceTemplatesResult, type ReadResourceResult, type Server } from './sdk';
import type { McpAsker } from '../../agents/mcp-asks';
import { optional } from '../../shared/json/optional';
import { sha256Hex } from '../../shared/json/sha256';

/** The protocol's code for a resource that does not exist. */
const RESOURCE_NOT_FOUND = -32002;
/** Limit for the resources that one session watches. */
const MAX_SUBSCRIPTIONS = 20;
const LOOK_EVERY_MS = 10_000;

/** Registers the handlers for resources; the server already has the capability. @returns the client's subscriptions */
export function offerResources(server: Server, app: AppAnswers): Subscriptions {
  const types = sdk.types();
  const subscriptions = new Subscriptions({
    versionOf: async (uri) => digestOf(await read(app, uri)),
    changed: (uri) => server.sendResourceUpdated({ uri }),
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, ({ params }) => listResources(app, params?.cursor));
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, ({ params }) => listedTemplates(app, params?.cursor));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params }) => read(app, params.uri));
  server.setRequestHandler(types.SubscribeRequestSchema, async ({ params }) => {
    await subscriptions.add(params.uri);
    return {};
  });
  server.setRequestHandler(types.UnsubscribeRequestSchema, ({ params }) => {
    subscriptions.remove(params.uri);
    return {};
  });
  return subscriptions;
}

interface ResourceInfo {
  name: string;
  title?: string;
  description?: string;
  mimeType: string;
}

function describeEntry({ name, title, description, mimeType }: ResourceInfo): ResourceInfo {
  return { name, ...optional({ title, description }), mimeType };
}

function listResources(app: AppAnswers, cursor: string | undefined): ListResourcesResult {
  const { page, ...next } = pageOf(app.visible(app.mcp.resources), cursor);
  return { resources: page.map((resource) => ({ uri: resource.uri, ...describeEntry(resource) })), ...next };
}

function listedTemplates(app: AppAnswers, cursor: string | undefined): ListResourceTemplatesResult {
  const { page, ...next } = pageOf(app.visible(app.mcp.resourceTemplates), cursor);
  const resourceTemplates = page.map((template) => ({ uriTemplate: template.uriTemplate, ...describeEntry(template) }));
  return { resourceTemplates, ...next };
}

type Content = string | Uint8Array;

interface ReadableResource {
  mimeType: string;
  read(asker: McpAsker): Content | null | Promise<Content | null>;
}

/** @throws McpError: there is no such resource, or it cannot be read */
async function read(app: AppAnswers, uri: string): Promise<ReadResourceResult> {
  const resource = resourceAt(app, uri);
  const result =
    resource &&
    (await app.ask(
      'resource',
      (asker) => resource.read(asker),
      (content) => contentsOf(uri, resource.mimeType, content),
    ));
  if (result === null) {
    const { McpError } = sdk.types();
    throw new McpError(RESOURCE_NOT_FOUND, 'There is no such resource.', { uri: uri.slice(0, MOST_URI).toWellFormed() });
  }
  return result;
}

/** An exact URI wins over a template that matches it. */
function resourceAt(app: AppAnswers, uri: string): ReadableResource | null {
  const own = app.visible(app.mcp.resources).find((resource) => resource.uri === uri);
  if (own) return { mimeType: own.mimeType, read: (asker) => own.read(asker) };
  for (const template of app.visible(app.mcp.resourceTemplates)) {
    const variables = readUri(template.uriTemplate, uri);
    if (variables) return { mimeType: template.mimeType, read: (asker) => template.read(variables, asker) };
  }
  return null;
}

function contentsOf(uri: string, mimeType: string, content: unknown): ReadResourceResult | null {
  if (content === null) return null;
  if (typeof content === 'string') return { contents: [{ uri, mimeType, text: content.toWellFormed() }] };
  if (content instanceof Uint8Array) return { contents: [{ uri, mimeType, blob: Buffer.from(content).toString('base64') }] };
  throw new Error('read gives a text, bytes (Uint8Array), or null where there is no such resource');
}

function digestOf({ contents }: ReadResourceResult): string {
  return sha256Hex(JSON.stringify(contents));
}

export interface WatchCallbacks {
  /** Differs when the content differs. @throws Error if there is no content, or none now */
  versionOf(uri: string): Promise<string>;
  changed(uri: string): Promise<void>;
}

/**
 * The resources that one client subscribes to. A function of the app cannot report that its answer changes. So each resource is
 * read again, one after the other, and the client is notified of a different answer.
 */
export class Subscriptions {
  private readonly versions = new Map<string, string>();
  private timer: NodeJS.Timeout | null = null;
  private looks = false;
  private hasEnded = false;

  constructor(
    private readonly callbacks: WatchCallbacks,
    private readonly everyMs = LOOK_EVERY_MS,
  ) {}

  /** @throws McpError if there is no such resource, or there are too many subscriptions */
  async add(uri: string): Promise<void> {
    if (this.versions.has(uri)) return;
    const version = await this.callbacks.versionOf(uri);
    if (this.versions.size >= MAX_SUBSCRIPTIONS)
      throw invalidParams(`A session may subscribe to ${MAX_SUBSCRIPTIONS} resources; unsubscribe from one.`);
    if (this.hasEnded) return;
    this.versions.set(uri, version);
    this.timer ??= setInterval(() => void this.look(), this.everyMs).unref();
  }

  remove(uri: string): void {
    this.versions.delete(uri);
    if (this.versions.size === 0) this.stop();
  }

  /** The client is gone. */
  end(): void {
    this.hasEnded = true;
    this.versions.clear();
    this.stop();
  }

  private stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private async look(): Promise<void> {
    if (this.looks) return;
    this.looks = true;
    for (const [uri, before] of [...this.versions]) {
      const now = await this.callbacks.versionOf(uri).catch(() => before); // a resource that cannot be read now counts as unchanged
      if (now === before || this.versions.get(uri) !== before) continue;
      this.versions.set(uri, now);
      await this.callbacks.changed(uri).catch(() => undefined);
    }
    this.looks = false;
  }
}
