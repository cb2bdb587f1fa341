/** `holdfast deputies`: names somebody who decides for you while you are away, lists deputies, and ends their period. */
import type { Command } from 'commander';
import { makeDeputyship, readDeputyship } from '../attestation/deputyship';
import { SigningKey } from '../attestation/signing-key';
import { isRevocation, readTrustedKeys, type TrustedKey, type TrustEntry } from '../attestation/trusted-keys';
import { loadConfig, type Config } from '../config';
import { optional } from '../shared/json/optional';
import type { DeputyView } from '../shapes/deputy';
import { several, userName } from './support/decide-options';
import { oneLine } from './support/describe';
import { UsageError } from './support/exit';
import { askGateway } from './support/gateway-client';
import type { Output } from './support/output';

interface Naming {
  until: string;
  from?: string;
  role: string[];
  agent: string[];
  tool: string[];
  key?: string;
  for?: string;
  print?: true;
}

export function deputyCommands(command: Command, output: () => Output): void {
  command
    .command('add')
    .description(
      'Names a deputy. With --key the statement is signed, which calls need that take signed decisions only; without it the gateway records it for the person of the token.',
    )
    .argument('<deputy>', 'who is to decide')
    .requiredOption('--until <time>', 'when it ends: 2026-12-15, or 2026-12-15T18:00:00Z')
    .option('--from <time>', 'when it begins; default: now')
    .option('--role <name>', 'in which roles; may be given again; default: all of the person', several, [])
    .option('--agent <name>', 'only for calls of this agent; may be given again', several, [])
    .option('--tool <name>', 'only for calls of this tool; may be given again', several, [])
    .option('--key <file>', 'sign with the private key of the person, or of an enroller')
    .option('--for <person>', 'for whom; needed with the key of an enroller')
    .option('--print', 'prints the signed statement, and sends it nowhere')
    .action(async (deputy: string, naming: Naming) => {
      const config = loadConfig();
      if (naming.key === undefined) return output().answer(...describeNaming(await askRecord(config, deputy, naming)));
      const signed = await signedNaming(config, deputy, naming, naming.key);
      if (naming.print) return output().answer({ signed }, [signed]);
      output().answer(...describeNaming(await keep(config, signed)));
    });
  command
    .command('list')
    .description('Your deputies and those for whom you are one; without a gateway, or with --all, those of everybody.')
    .option('--all', 'of everybody, for an admin')
    .action(async ({ all }: { all?: true }) => {
      const found = await listDeputies(loadConfig(), all ?? false);
      output().answer(found, found.length === 0 ? ['There are no deputies.'] : found.map(describe));
    });
  command
    .command('end')
    .description('Ends the period of a deputy before its time. What the deputy approved and has not run does not run.')
    .argument('<id>')
    .action(async (id: string) => {
      await end(loadConfig(), id);
      output().answer({ id, ended: true }, [`Ended: ${id}. Nothing more runs by an approval of this deputy.`]);
    });
}

async function askRecord({ gateway }: Config, deputy: string, naming: Naming): Promise<DeputyView> {
  if (naming.for !== undefined || naming.print)
    throw new UsageError(
      '--for and --print go with --key: without a key the gateway records a deputy of the principal of the token.',
    );
  if (gateway === null)
    throw new UsageError(
      'Give --key, or set HOLDFAST_GATEWAY_URL and HOLDFAST_TOKEN: a deputy is named by a signature or by a gateway.',
    );
  const { role, agent, tool } = naming;
  const limits = optional({ roles: some(role), agents: some(agent), tools: some(tool) });
  const from = naming.from === undefined ? {} : { from: timeOf('--from', naming.from) };
  return askGateway<DeputyView>(gateway, 'POST', '/v1/deputies', {
    deputy,
    until: timeOf('--until', naming.until),
    ...from,
    ...limits,
  });
}

async function signedNaming(config: Config, deputy: string, naming: Naming, file: string): Promise<string> {
  const key = await SigningKey.read(file);
  const trusted: TrustEntry[] = await readTrustedKeys(config.trustedKeys).catch(() => []);
  const entry = trusted.find((one): one is TrustedKey => one.kid === key.kid && !isRevocation(one));
  if (entry !== undefined && entry.use !== 'principal' && entry.use !== 'enroller')
    throw new UsageError(
      `Key ${key.kid} names no deputies: its use is ${entry.use}. Sign with the person's own key, or an enroller's.`,
    );
  const person = naming.for ?? entry?.principal;
  if (person === undefined) throw new UsageError('Say with --for whom the deputy is to decide for.');
  const roles = some(naming.role);
  if (roles === undefined && entry?.use === 'enroller') throw new UsageError('With the key of an enroller, give each --role.');
  const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
  const period = {
    from: naming.from === undefined ? Math.floor(Date.now() / 1000) : seconds(timeOf('--from', naming.from)),
    until: seconds(timeOf('--until', naming.until)),
  };
  const limits = optional({ roles, agents: some(naming.agent), tools: some(naming.tool) });
  const about = { namespace: config.temporal.namespace, deputy, for: person, ...limits, ...period };
  const statement = makeDeputyship(about, { kid: key.kid });
  if (readDeputyship({ ...statement }) === null)
    throw new UsageError(
      'Nobody is their own deputy or that of another tenant’s person; the period ends after it begins, within 366 days; each name stands once.',
    );
  return key.token(statement);
}

async function keep(config: Config, signed: string): Promise<DeputyView> {
  if (config.gateway !== null) return askGateway<DeputyView>(config.gateway, 'POST', '/v1/deputies', { signed });
  const { register, view } = await ofStore(config);
  const fault = await register.add(signed, userName());
  if (fault !== null) throw new UsageError(`Not named: ${fault}.`);
  return view((await register.all()).find((one) => one.text === signed)!);
}

async function listDeputies(config: Config, all: boolean): Promise<DeputyView[]> {
  if (config.gateway !== null) {
    const path = all ? '/v1/deputies/everyone' : '/v1/deputies';
    return (await askGateway<{ deputies: DeputyView[] }>(config.gateway, 'GET', path)).deputies;
  }
  const { register, view } = await ofStore(config);
  return (await register.all()).map(view);
}

async function end(config: Config, id: string): Promise<void> {
  if (config.gateway !== null) {
    await askGateway(config.gateway, 'DELETE', `/v1/deputies/${encodeURIComponent(id)}`);
    return;
  }
  const { register } = await ofStore(config);
  const found = await register.find(id);
  if (found === null)
    throw new UsageError(`There is no deputy ${JSON.stringify(id.slice(0, 40))}; \`holdfast deputies list\` lists them.`);
  await register.end(found, userName());
}

async function ofStore(config: Config) {
  const [{ openStoreOf }, { DeputyRegister }, { viewOfDeputy }] = await Promise.all([
    import('../store/open-store.js'),
    import('../deputies/register.js'),
    import('../deputies/view.js'),
  ]);
  return { register: new DeputyRegister(await openStoreOf(config)), view: viewOfDeputy };
}

/** ISO 8601 with its zone, so that it means one moment. */
function timeOf(option: string, text: string): string {
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`${option} ${JSON.stringify(text.slice(0, 40))} is no time such as 2026-12-15 or 2026-12-15T18:00:00Z.`);
  return new Date(ms).toISOString();
}

function some(list: string[]): string[] | undefined {
  return list.length === 0 ? undefined : list;
}

function describeNaming(view: DeputyView): [object, string[]] {
  const more =
    view.proof === 'signed' ? [] : ['  by the gateway’s word: it does not count for calls that take signed decisions only'];
  return [view, [describe(view), ...more]];
}

function describe({ id, deputy, for: person, from, until, state, roles, agents, tools }: DeputyView): string {
  const only = [...(agents ?? []).map((one) => `agent ${one}`), ...(tools ?? [])];
  const inRoles = roles === null || roles.length === 0 ? '' : `  as ${roles.join(', ')}`;
  const limit = only.length === 0 ? '' : `  only ${only.map((one) => oneLine(one)).join(', ')}`;
  return `${id}  ${oneLine(deputy)} for ${oneLine(person)}  ${state}  ${from.slice(0, 16)} to ${until.slice(0, 16)}${inRoles}${limit}`;
}
