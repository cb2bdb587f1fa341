/** A TCP proxy between one process and one server, whose connections can be cut or stalled. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class Network {
  private readonly pairs = new Map<Socket, Socket>();
  private state: 'open' | 'cut' | 'stalled' = 'open';

  private constructor(
    private readonly server: Server,
    private readonly to: { host: string; port: number },
  ) {}

  static async to(host: string, port: number): Promise<Network> {
    const server = createServer();
    const network = new Network(server, { host, port });
    server.on('connection', (client) => network.join(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Open connections end, and new ones are refused. */
  cut(): void {
    this.state = 'cut';
    this.endAll();
  }

  /** Nothing gets through, and nobody is told. */
  stall(): void {
    this.state = 'stalled';
    for (const socket of this.sockets()) socket.pause();
  }

  /** As before the fault. */
  open(): void {
    this.state = 'open';
    for (const socket of this.sockets()) socket.resume();
  }

  async close(): Promise<void> {
    this.endAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    client.on('error', () => undefined);
    if (this.state === 'cut') return void client.destroy();
    const there = connect(this.to);
    there.on('error', () => undefined);
    this.pairs.set(client, there);
    client.on('data', (bytes) => there.write(bytes));
    there.on('data', (bytes) => client.write(bytes));
    there.on('close', () => client.destroy());
    client.on('close', () => {
      there.destroy();
      this.pairs.delete(client);
    });
    if (this.state === 'stalled') for (const socket of [client, there]) socket.pause();
  }

  private sockets(): Socket[] {
    return [...this.pairs].flat();
  }

  private endAll(): void {
    for (const socket of this.sockets()) socket.destroy();
  }
}
