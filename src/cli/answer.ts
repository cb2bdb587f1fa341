/** `holdfast answer`: answers a question of the model. */
import { InvalidArgumentError, type Command } from 'commander';
import type { Json } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { errorMessage } from '../shared/text/error-message';
import { decide, describeAcceptance } from './support/decide';
import { signerOptions, type SignerOptions } from './support/decide-options';
import type { Output } from './support/output';

interface AnswerOptions extends SignerOptions {
  call: string;
  value: Json;
  note?: string;
}

export function answer(program: Command, output: () => Output): void {
  signerOptions(
    program
      .command('answer')
      .description(
        'Answers a question of the model. The answer is information for the model: it approves nothing, and whoever gives it counts as a maker of later calls.',
      )
      .argument('<turn>')
      .requiredOption('--call <digest>', 'first 12 or more characters of the digest (see `holdfast pending`)')
      .requiredOption('--value <json>', `the answer, as JSON; a text in quotes: '"operations"'`, jsonValue),
    'who answers',
  )
    .option('--note <text>', 'the model reads it beside the answer')
    .action(async (turn: string, { call, value, ...options }: AnswerOptions) => {
      const deciding = { turn, decision: 'answer' as const, value };
      const deciders = { ...options, call: [call] };
      output().answer(...describeAcceptance(deciding, deciders, await decide(deciding, deciders)));
    });
}

/** Any JSON as an option, parsed strictly. */
export function jsonValue(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new InvalidArgumentError(`${errorMessage(error)} It must be JSON: a text stands in quotes, such as '"yes"'.`);
  }
}
