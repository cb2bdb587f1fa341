/** `holdfast freeze`, `unfreeze` and `revoke`: the stop switch, by the gateway or by the store. */
import type { Command } from 'commander';
import { loadConfig, type Config } from '../config';
import { freezeId, freezeText, type Freeze, type FrozenScope } from '../record/stop';
import type { FreezeView, WithdrawalView } from '../shapes/records';
import { userName } from './support/decide-options';
import { oneLine } from './support/describe';
import { UsageError } from './support/exit';
import { frozenNow, storeStop } from './support/freezes';
import { askGateway } from './support/gateway-client';
import type { Output } from './support/output';

interface ScopeOptions {
  agent?: string;
  tool?: string;
  tenant?: string;
}

export function freeze(program: Command, output: () => Output): void {
  withScopes(program.command('freeze'))
    .description(
      'Stops destructive calls within a second, until `holdfast unfreeze`: all, or those of an agent, a tool or a tenant.',
    )
    .requiredOption('--reason <text>', 'everybody sees it who sees the freeze')
    .action(async ({ reason, ...options }: ScopeOptions & { reason: string }) => {
      const found = await freezeNow(loadConfig(), scopeOf(options), someText('--reason', reason));
      const tells = `Frozen: ${oneLine(freezeText(found), 400)}`;
      output().answer(found, [tells, 'What runs already runs to its end. Calls wait; `holdfast unfreeze` lets them run.']);
    });
}

export function unfreeze(program: Command, output: () => Output): void {
  withScopes(program.command('unfreeze'))
    .description('Ends a freeze, with the options of `holdfast freeze`. The calls that wait are checked anew, and run.')
    .option('--reason <text>', 'for the trail', '')
    .action(async ({ reason, ...options }: ScopeOptions & { reason: string }) => {
      const scope = scopeOf(options);
      await endFreeze(loadConfig(), scope, reason);
      output().answer({ ...scope, frozen: false }, [`Not frozen any more: ${nameOf(scope)}.`]);
    });
}

export function revoke(program: Command, output: () => Output): void {
  program
    .command('revoke')
    .description('Withdraws what a person has approved and has not been dispatched: people are asked about these calls again.')
    .requiredOption('--approver <name>', 'the full name of the person')
    .option('--reason <text>', 'it stands on the cards of these calls', '')
    .action(async ({ approver, reason }: { approver: string; reason: string }) => {
      const withdrawal = await withdraw(loadConfig(), someText('--approver', approver), reason);
      output().answer(withdrawal, [
        `Withdrawn: the approvals of ${oneLine(withdrawal.approver)} until ${withdrawal.at}, of calls that are not dispatched.`,
        'Later approvals of this person count. `holdfast keys revoke` takes a key back for good.',
      ]);
    });
}

function withScopes(command: Command): Command {
  return command
    .option('--agent <name>', 'the destructive calls of this agent')
    .option('--tool <name>', 'the calls of this tool, in every version')
    .option('--tenant <name>', 'the destructive calls of turns that were asked for by people of this tenant');
}

function scopeOf(options: ScopeOptions): FrozenScope {
  const named = (['agent', 'tool', 'tenant'] as const).filter((scope) => options[scope] !== undefined);
  const [scope] = named;
  if (named.length > 1) throw new UsageError('Give one of --agent, --tool and --tenant, or none of them for everything.');
  return scope === undefined ? { scope: 'all', name: '' } : { scope, name: someText(`--${scope}`, options[scope]!) };
}

function nameOf({ scope, name }: FrozenScope): string {
  return scope === 'all' ? 'everything' : `${scope} ${oneLine(name)}`;
}

function someText(option: string, text: string): string {
  const most = option === '--reason' ? 1000 : 200; // what the gateway takes
  if (text.trim() !== '' && text.length <= most) return text;
  throw new UsageError(`${option} takes 1 to ${most} characters, and has ${text.trim() === '' ? 'none' : text.length}.`);
}

async function freezeNow(config: Config, scope: FrozenScope, reason: string): Promise<Freeze> {
  const { scope: of, name } = scope;
  const body = { scope: of, reason, ...(of === 'all' ? {} : { name }) };
  if (config.gateway !== null) return askGateway<FreezeView>(config.gateway, 'POST', '/v1/freezes', body);
  return (await (await storeStop(config)).freeze(scope, userName(), reason)).freeze;
}

async function endFreeze(config: Config, scope: FrozenScope, reason: string): Promise<void> {
  const found = await frozenNow(config);
  const isFrozen = found.some((one) => freezeId(one) === freezeId(scope));
  if (!isFrozen) {
    const others = found.length === 0 ? 'nothing is frozen' : `frozen are: ${found.map((one) => nameOf(one)).join(', ')}`;
    throw new UsageError(`Not frozen: ${nameOf(scope)}; ${others}.`);
  }
  const why = reason === '' ? '' : `?reason=${encodeURIComponent(reason)}`;
  if (config.gateway !== null) await askGateway(config.gateway, 'DELETE', `/v1/freezes/${freezeId(scope)}${why}`);
  else await (await storeStop(config)).unfreeze(scope, userName(), reason);
}

async function withdraw(config: Config, approver: string, reason: string): Promise<WithdrawalView> {
  const body = { approver, ...(reason === '' ? {} : { reason }) };
  if (config.gateway !== null) return askGateway<WithdrawalView>(config.gateway, 'POST', '/v1/withdrawals', body);
  return (await storeStop(config)).withdraw(approver, userName(), reason);
}
