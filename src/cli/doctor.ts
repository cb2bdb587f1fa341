/** `holdfast doctor`: checks what is reachable, which versions run, and what has to be done. */
import type { Command } from 'commander';
import type { Connection } from '@temporalio/client';
import { ConfigError, loadConfig, type Config } from '../config';
import type { CodecKeys } from '../encryption/key-source';
import { describeParts, describeStore } from '../store/open-store';
import { findingLine, type Finding } from './support/findings';
import { serverFacts, type ServerFacts } from './support/server-facts';
import { freezeText } from '../record/stop';
import { frozenNow } from './support/freezes';
import { EXIT, Exit } from './support/exit';
import type { Output } from './support/output';
import { hasShowcase, loadShowcase } from './support/showcase';
import { withoutPassword } from '../shared/text/secrets';
import { version } from '../version';
import { optional } from '../shared/json/optional';
import { errorMessage } from '../shared/text/error-message';

interface DoctorOptions {
  production?: true;
  cloud?: true;
}

export function doctor(program: Command, output: () => Output): void {
  program
    .command('doctor')
    .description('What is reachable, which versions, and what to do. Exits 0 once a turn could run.')
    .option('--production', 'also all that a deployment asks for: keys, TLS, retention, versions, backups, clocks')
    .option('--cloud', 'also what Temporal Cloud asks for, and its limits')
    .action(async (options: DoctorOptions) => {
      const findings = await examine(options);
      const ok = findings.every((finding) => finding.ok);
      const could =
        options.production || options.cloud
          ? ['There is no fault.', 'There are faults.']
          : ['A turn can run.', 'A turn cannot run yet.'];
      output().answer({ ok, version, node: process.version, findings }, [...findings.map(findingLine), could[ok ? 0 : 1]!]);
      if (!ok) throw new Exit(EXIT.failed);
    });
}

async function examine(options: DoctorOptions): Promise<Finding[]> {
  const findings: Finding[] = [{ what: 'holdfast', ok: true, detail: `${version} on Node ${process.version}` }];
  let config: Config;
  try {
    config = loadConfig();
    findings.push({ what: 'settings', ok: true, detail: `model ${config.model}, task queue ${config.taskQueue}` });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...findings, { what: 'settings', ok: false, detail: error.message }];
  }
  const { examineApprovals, examineGatewayKeys } = await import('./support/examine-approvals.js');
  findings.push(await finding('approvals', () => examineApprovals(config)));
  findings.push(
    await finding('workflow bundle', async () => (await import('../worker/workflow-bundle.js')).workflowBundlePath()),
  );
  findings.push(await finding('store', () => describeStore(config.store)));
  const frozen = await frozenNow(config).catch(() => []); // the store is another finding
  for (const freeze of frozen) findings.push({ what: 'frozen', ok: true, warning: true, detail: freezeText(freeze) });
  const { codecKeys, parts } = config;
  if (parts !== null) findings.push(await finding('parts', () => describeParts(parts)));
  if (codecKeys !== null) findings.push(await finding('encryption', () => examineKeys(codecKeys)));
  // A warning only, because a turn can run: decisions of a gateway that is not trusted here are refused.
  const warning = await examineGatewayKeys(config).catch(errorMessage);
  if (warning !== null) findings.push({ what: 'gateways', ok: true, warning: true, detail: warning });
  findings.push(await examineIsolation(config));
  findings.push(await finding('data', () => examineData(config)));
  const { server, findings: ofTemporal } = await examineTemporal(config, options);
  return [...findings, ...ofTemporal, ...(await examineFurther(config, server, options))];
}

async function examineFurther(
  config: Config,
  server: ServerFacts | null,
  { production, cloud }: DoctorOptions,
): Promise<Finding[]> {
  const { examineProduction, sweepFacts } = await import('./support/examine-production.js');
  const { examineCloud } = await import('./support/examine-cloud.js');
  const { readRegister } = await import('../store/open-store.js');
  const sweep = `bundle sweep ${config.temporal.namespace} ${config.taskQueue}`;
  // A store that cannot be read is another finding.
  const store = production
    ? await readRegister(config, sweep).then(
        ({ value, now }) => ({ now, ownNow: Date.now(), ...sweepFacts(value) }),
        () => null,
      )
    : null;
  return [
    ...(production ? await examineProduction(config, { server, store }) : []),
    ...(cloud ? examineCloud(config, server) : []),
  ];
}

/** @throws BadKeyRing */
async function examineKeys(codecKeys: CodecKeys): Promise<string> {
  const { Keys } = await import('../encryption/key-source.js');
  const keys = await Keys.open(codecKeys);
  const { current, ids } = keys.ring();
  const writes = current === null ? 'no key writes: what is new stays plain' : `the key ${current} writes`;
  return `key ring ${keys.where}: ${writes}; ${ids.join(', ') || 'none'} can be read`;
}

/** A turn runs without commands and MCP programs, so missing isolation is only a warning. */
async function examineIsolation({ childrenMayReadSecrets }: Config): Promise<Finding> {
  const { isolation, RISK_SETTING, whatToDo } = await import('../processes/isolation.js');
  const what = 'child processes';
  const state = await isolation();
  if (state.how !== 'none')
    return { what, ok: true, detail: `bash and MCP servers run in namespaces of their own (${state.how})` };
  const detail = childrenMayReadSecrets
    ? `${RISK_SETTING} is true: bash and MCP servers can read the secrets of all processes of this user. ${state.why}`
    : `bash and MCP servers over stdio are refused. ${state.why} ${whatToDo()}`;
  return { what, ok: true, warning: true, detail };
}

/** One request, for the list of tickers. */
async function examineData({ edgar, cache }: Config): Promise<string> {
  if (!hasShowcase()) return 'none: the agents that ship are not installed, and an app file brings its own';
  if (edgar === null) return 'the embedded snapshot';
  await loadShowcase().checkEdgar({ ...edgar, cacheFolder: cache });
  return `live EDGAR${edgar.url === undefined ? '' : ` at ${withoutPassword(edgar.url)}`} answers`;
}

async function examineTemporal(
  config: Config,
  { cloud }: DoctorOptions,
): Promise<{ server: ServerFacts | null; findings: Finding[] }> {
  const { checkSearchAttributes, MissingSearchAttributes } = await import('../worker.js');
  const { searchAttributesTodo } = await import('./support/examine-cloud.js');
  const { address, namespace } = config.temporal;
  let connection: Connection;
  try {
    const { connectTemporal } = await import('../temporal/connect.js');
    connection = await connectTemporal(config.temporal);
  } catch (error) {
    return { server: null, findings: [{ what: 'Temporal', ok: false, detail: errorMessage(error) }] };
  }
  try {
    const { workflowService } = connection;
    const server = await finding(
      'Temporal',
      async () => `server ${(await workflowService.getSystemInfo({})).serverVersion} at ${address}`,
    );
    const space = await finding(
      'namespace',
      async () => (await workflowService.describeNamespace({ namespace })).namespaceInfo?.name ?? namespace,
    );
    const attributes = await finding(
      'search attributes',
      async () => (await checkSearchAttributes(connection, namespace), 'all there'),
      (error) => (cloud && error instanceof MissingSearchAttributes ? searchAttributesTodo(namespace, error.missing) : undefined),
    );
    const { examinePinnedTurns, examineWorkers } = await import('./support/examine-workers.js');
    const worker = await finding('worker', () => examineWorkers(connection, namespace, config.taskQueue));
    // A new turn can run all the same, so every result is only a warning.
    const older = await examinePinnedTurns(connection, namespace, config.taskQueue).catch(errorMessage);
    const olderFindings: Finding[] = older === null ? [] : [{ what: 'older turns', ok: true, warning: true, detail: older }];
    const facts = await serverFacts(connection, namespace, config.taskQueue).catch(() => null);
    return { server: facts, findings: [server, space, attributes, worker, ...olderFindings] };
  } finally {
    await connection.close();
  }
}

async function finding(
  what: string,
  look: () => Promise<string>,
  todoFor: (error: unknown) => string | undefined = () => undefined,
): Promise<Finding> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    return { what, ok: false, detail: errorMessage(error), ...optional({ todo: todoFor(error) }) };
  }
}
