/** One of several processes in the rate limit's tests: `slots FOLDER N` or `get URL CACHE N`. Prints JSON. */
import { addressesOf } from '../../../../../packs/finance/src/edgar/addresses';
import { hostClock } from '../../../../../packs/finance/src/edgar/clock';
import { EdgarHttp } from '../../../../../packs/finance/src/edgar/http';
import { RequestSlots } from '../../../../../packs/finance/src/edgar/request-rate-limit';

const [what, where, ...rest] = process.argv.slice(2);

async function slots(folder: string, count: number) {
  const taker = new RequestSlots(folder);
  const starts: { slot: number; at: number }[] = [];
  // Several at once, as the parallel calls of a batch.
  const one = async () => {
    while (starts.length < count) {
      const slot = await taker.take();
      starts.push({ slot, at: hostClock() });
    }
  };
  await Promise.all([one(), one(), one()]);
  return starts;
}

async function get(url: string, cacheFolder: string, count: number) {
  const http = new EdgarHttp({ userAgent: 'Test test@example.com', cacheFolder }, addressesOf(url));
  const wanted = Array.from({ length: count }, (_, i) => `${url}/data/${process.pid}/${i}`);
  const absent = () => new Error('absent') as never;
  return Promise.all(wanted.map((address) => http.get({ url: address, absent })));
}

const result = what === 'slots' ? slots(where!, Number(rest[0])) : get(where!, rest[0]!, Number(rest[1]));
void result.then((value) => process.stdout.write(JSON.stringify(what === 'slots' ? value : 'done')));
