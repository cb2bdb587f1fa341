/** Whether what runs cost can be known. */
import { askedPrice } from '../model/prices';
import { optional } from '../shared/json/optional';
import { RECORDED_MODEL } from './case';
import type { Plan } from './run-all';
import { modelsOf, type RunParts } from './run-case';

/** The first model of a plan whose price is not known; null: all are. @throws CaseError */
export function unpricedModel({ cases, models }: Pick<Plan, 'cases' | 'models'>, parts: RunParts): string | null {
  const settings = parts.app.models ?? {};
  const names = models.flatMap((model) => cases.flatMap((one) => modelsOf({ one, model, repetition: 1 }, parts).names));
  const isPriced = (name: string) => {
    const id = settings[name]?.provider?.model;
    return (
      name === RECORDED_MODEL ||
      parts.rehearsesAll === true ||
      askedPrice({ asked: name, ...optional({ id }) }, settings) !== undefined
    );
  };
  return names.find((name) => !isPriced(name)) ?? null;
}
