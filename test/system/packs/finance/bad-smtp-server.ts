/** A TCP server that speaks just enough SMTP to misbehave at one chosen place. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Script {
  greeting?: string | 'drop';
  ehlo?: string;
  auth?: string;
  mail?: string;
  rcpt?: string | 'drop';
  rcptOf?: (line: string) => string;
  data?: string;
  /** After the final dot: an answer, `drop`, or `hang`. */
  dot?: string;
  /** After the final dot: these bytes as they are, and then a drop. */
  cut?: string;
  /** Called once the message has arrived as a whole. */
  onMessage?: () => void;
}

/** @returns the port, what the server received, and how to stop it */
export async function badSmtpServer(script: Script) {
  const seen = { commands: [] as string[], message: '', connections: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    seen.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    const say = (text: string) => (text === 'drop' ? socket.destroy() : socket.write(`${text}\r\n`));
    say(script.greeting ?? '220 test');
    let inData = false;
    let buffer = '';
    socket.on('data', (chunk) => {
      buffer += chunk.toString('latin1');
      for (;;) {
        // The line before the dot may be that of DATA.
        const end = inData ? `\r\n${buffer}`.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n');
        if (end < 0) return;
        const line = buffer.slice(0, inData ? Math.max(0, end - 2) : end);
        buffer = buffer.slice(end + (inData ? 3 : 2));
        if (inData) {
          inData = false;
          seen.message = line;
          script.onMessage?.();
          const dot = script.dot ?? '250 queued';
          if (dot === 'hang') return;
          if (script.cut !== undefined) socket.end(script.cut);
          else say(dot);
          continue;
        }
        seen.commands.push(line);
        const verb = line.slice(0, 4).toUpperCase();
        if (verb === 'EHLO') say(script.ehlo ?? '250 test');
        else if (verb === 'HELO' || verb === 'STAR') say('502 no');
        else if (verb === 'AUTH') say(script.auth ?? '235 ok');
        else if (verb === 'MAIL') say(script.mail ?? '250 ok');
        else if (verb === 'RCPT') say(script.rcptOf?.(line) ?? script.rcpt ?? '250 ok');
        else if (verb === 'DATA') {
          inData = (script.data ?? '354').startsWith('354');
          say(script.data ?? '354 go on');
        } else say('221 bye');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port, seen, close };
}
