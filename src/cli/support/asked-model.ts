/** The model that a recorded turn is asked with: one of the app's, or of the settings, as a worker would use it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../agents/define';
import type { AnewRequest, AskedModel } from '../../audit/ask-anew';
import type { Config } from '../../config';
import type { ChainLink } from '../../model/fallback';
import { Models } from '../../model/models';
import { askedPrice, costUsd } from '../../model/prices';
import { withResultCall } from '../../model/prompted/native-result';
import { isModelFailure, type ModelRequest, type ModelResponse } from '../../model/provider';
import { thinkingOf } from '../../model/settings';
import { openModel } from '../../worker/own-model';
import { errorMessage } from '../../shared/text/error-message';
import { UsageError } from './exit';

/** Waits before a request is made again, ms, and the longest that a vendor may ask for. */
const WAITS_MS = [1000, 3000];
const LONGEST_WAIT_MS = 10_000;

export interface OpenedModel extends AskedModel {
  /** US dollars for so many tokens; null: no price is known. */
  estimate(tokens: { input: number; output: number }): number | null;
  close(): Promise<void>;
}

/**
 * @param app null: the settings alone name the model
 * @throws UsageError for a model that nobody serves, and for a missing package or key
 */
export async function openAskedModel(config: Config, app: App | null, name: string): Promise<OpenedModel> {
  const settings = app?.models ?? {};
  const ofApp = Object.hasOwn(settings, name) && settings[name]!.provider !== undefined;
  const own = ofApp ? null : await ownModel(config, app, name);
  const close = async () => own?.close();
  try {
    const [link] = new Models(own).chainOf({ agent: { model: name }, models: settings });
    link!.provider.checkSetup?.();
    return { name, provider: link!.provider.name, ask: asking(link!), estimate: estimating(link!), close };
  } catch (error) {
    await close();
    throw new UsageError(`The model ${JSON.stringify(name)} cannot be asked. ${errorMessage(error)}`);
  }
}

/** The model of the settings. It is never the rehearsal: its script would answer for any name. */
async function ownModel(config: Config, app: App | null, name: string): Promise<Awaited<ReturnType<typeof openModel>>> {
  const names = Object.keys(app?.models ?? {});
  if (names.length > 0 && !names.includes(name))
    throw new UsageError(`The app has no model ${JSON.stringify(name)}; it has ${names.join(', ')}.`);
  if (config.model === 'rehearsal')
    throw new UsageError(
      `Nobody serves the model ${JSON.stringify(name)}: set a key (ANTHROPIC_API_KEY, or OPENAI_API_KEY with HOLDFAST_MODEL=openai), or name an app that has it with --app.`,
    );
  return openModel(config);
}

function asking(link: ChainLink): AskedModel['ask'] {
  const { name, provider, model, settings } = link;
  return async ({ options, thinking: recorded, ...request }: AnewRequest, vendor) => {
    const own = provider.name === vendor ? options : {};
    const thinking = thinkingOf({ thinking: recorded }, settings);
    // What the vendor of this model has no form for is left out: the question stays the same.
    const canThink =
      thinking !== undefined && provider.thinkingFault?.(thinking, { model, maxTokens: request.maxTokens }) === null;
    const whole = {
      ...request,
      ...(canThink ? { thinking } : {}),
      model,
      serverTools: [],
      options: { ...own, ...settings.options },
    };
    const answer = await askPatiently(link, whole);
    // As a worker reads it: JSON without a call is the result.
    const response = whole.resultTool === undefined ? answer : withResultCall(answer);
    const prices = { [name]: settings };
    const cost = costUsd({ asked: name, id: model, answered: response.model }, response.usage, prices);
    return { response, costUsd: cost.priced ? cost.usd : null };
  };
}

async function askPatiently({ provider }: ChainLink, request: ModelRequest): Promise<ModelResponse> {
  const { signal } = new AbortController();
  for (const wait of [...WAITS_MS, null]) {
    try {
      return await provider.request(request, { signal });
    } catch (error) {
      const pause =
        isModelFailure(error) && error.facts.retryable ? Math.max(wait ?? 0, error.facts.retryAfterMs ?? 0) : Infinity;
      if (wait === null || pause > LONGEST_WAIT_MS) throw error;
      await sleep(pause);
    }
  }
  throw new Error('not reached');
}

function estimating({ name, model, settings }: ChainLink): OpenedModel['estimate'] {
  const price = askedPrice({ asked: name, id: model }, { [name]: settings });
  return ({ input, output }) => (price === undefined ? null : (input * price.input + output * price.output) / 1e6);
}
