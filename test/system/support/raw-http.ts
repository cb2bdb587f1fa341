/** One HTTP request as it is written: any Host, any Origin, which `fetch` would not send. */
import { request } from 'node:http';

export interface Raw {
  /** 0: what listens there speaks no HTTP/1.1. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface RawRequest {
  host: string;
  port: number;
  method?: string;
  path?: string;
  headers: Record<string, string>;
  body?: string;
}

const WITHIN_MS = 5000;

export function rawHttp({ host, port, method = 'GET', path = '/', headers, body }: RawRequest): Promise<Raw> {
  return new Promise((resolve) => {
    const none = () => resolve({ status: 0, headers: {}, body: '' });
    const sent = request({ host, port, method, path, headers, setHost: false, agent: false, timeout: WITHIN_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body: text }));
      answer.on('error', none);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', none);
    sent.end(body);
  });
}
