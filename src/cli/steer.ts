/** `holdfast steer`: sends a message to the model of a running turn. */
import type { Command } from 'commander';
import type { TurnHandle } from '../client/turns/turn-handle';
import { signerOptions, userName, type SignerOptions } from './support/decide-options';
import type { Output } from './support/output';
import { readStdin } from './support/read-stdin';
import { withClient } from './support/with-client';

export function steer(program: Command, output: () => Output): void {
  signerOptions(
    program
      .command('steer')
      .description(
        'Sends a message to the model of a running turn, which reads it before its next step. The sender counts as a maker of all later calls of the turn.',
      )
      .argument('<turn>')
      .argument('<text...>', 'what the model shall read; - reads standard input'),
    'who says it',
  ).action(async (turnId: string, words: string[], options: SignerOptions) => {
    const text = await messageOf(words);
    const { by, id } = await withClient(async (client) => {
      const turn = await client.turnNamed(turnId);
      const statement =
        options.key === undefined ? { by: options.by ?? userName() } : (await signedSteer(turn, text, options)).statement;
      await turn.steer(text, statement);
      return { by: statement.by, id: turn.id };
    });
    output().answer({ accepted: true, turn_id: id, by }, [`Accepted: the model of ${id} reads it before its next step.`]);
  });
}

async function messageOf(words: string[]): Promise<string> {
  return words.length === 1 && words[0] === '-' ? (await readStdin()).trim() : words.join(' ');
}

/** Signed with the key of the options, else with that of the settings. */
export async function signedSteer(
  turn: TurnHandle,
  text: string,
  options: SignerOptions,
): Promise<{ statement: { by: string; attestation: string }; kid: string }> {
  const [{ loadConfig }, { signerOf }, { signSteer }] = await Promise.all([
    import('../config.js'),
    import('./support/signer.js'),
    import('../client/approvals/attest.js'),
  ]);
  const { key, principal, roles } = await signerOf(loadConfig(), options);
  const attestation = await signSteer(turn, key, { text, principal, roles });
  return { statement: { by: principal, attestation }, kid: key.kid };
}
