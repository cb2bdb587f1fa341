import pino from 'pino';

/** JSON lines on standard error, one an event; standard output belongs to the commands. Keys that may hold secrets are redacted. */
export function createLog(level: string): pino.Logger {
  const secret = ['apiKey', 'token', 'pass', 'password', 'authorization', 'body_md'];
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secret.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
    },
    pino.destination(2),
  );
}
