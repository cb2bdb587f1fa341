/** Runs as a process of its own: makes the SDK download a Temporal CLI into the given folder, and ends. */
import { Runtime } from '@temporalio/worker';

async function main(downloadDir: string): Promise<void> {
  const runtime = Runtime.install({ logger: undefined });
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: { type: 'cached-download', downloadDir, version: 'default', ttl: 0, sdkName: 'sdk-typescript', sdkVersion: '1.24.0' },
    namespace: 'default',
    ip: '127.0.0.1',
    port: null,
    uiPort: null,
    dbFilename: null,
    ui: false,
    log: { format: 'pretty', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
}

main(process.argv[2]!).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message.replace(/\s*\n\s*/g, ' ') : String(error));
    process.exit(1);
  },
);
