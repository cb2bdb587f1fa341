/** Nothing answers where the Temporal server should be. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
  constructor(
    readonly address: string,
    override readonly cause: unknown,
  ) {
    const why = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
    super(
      `No Temporal server answers at ${address} (${why}). Start the embedded stack with \`npx holdfast dev\`, or set TEMPORAL_ADDRESS.`,
    );
  }
}
