/**
 * Asks a witness and a timestamp authority for the receipts of kept bundles, until each bundle has them. No bundle waits for a service:
 * a mark on disk says that a receipt is missing, and a service that fails is asked again after a pause, whatever the other one does.
 */
import { errorMessage } from '../../shared/text/error-message';
import { hasCode } from '../../store/files/atomic-file';
import { NONE, presentHead, type ReceiptServices } from '../../witness/client';
import type { Receipt } from '../../witness/receipt';
import type { TreeHead } from '../../witness/tree-head';
import { NotWhole } from '../format/whole';
import type { BundleArchive } from './bundle-archive';
import { addReceipts, readTrailer, type Trailer } from './receipts';

/** Bundles for which a service is asked in one sweep. */
const MOST_AT_ONCE = 100;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;

interface Service {
  by: Receipt['by'];
  /** This one alone. */
  alone: ReceiptServices;
  /** It is asked again at this time, ms since 1970. */
  from: number;
  /** The pause after its next failure, ms. */
  pause: number;
  /** The bundle of its last failure: the next attempt begins behind it. Empty: none. */
  failed: string;
}

interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export class MissingReceipts {
  private readonly services: Service[] = [];

  constructor(
    private readonly archive: BundleArchive,
    { witness, timestamp }: ReceiptServices,
    private readonly log: Log,
  ) {
    const service = (by: Receipt['by'], of: Partial<ReceiptServices>): Service => ({
      by,
      alone: { ...NONE, ...of },
      from: 0,
      pause: FIRST_PAUSE_MS,
      failed: '',
    });
    if (witness !== null) this.services.push(service('witness', { witness }));
    if (timestamp !== null) this.services.push(service('timestamp', { timestamp }));
  }

  /** Notes that a bundle needs receipts. Called before the bundle is kept, so that a process that is killed forgets none. */
  async note(name: string): Promise<void> {
    for (const { by } of this.services) await this.archive.markMissing(by, name);
  }

  /** A tree head of the witness, of now. Null: there is no witness, or it does not answer. */
  async head(): Promise<TreeHead | null> {
    const service = this.services.find(({ by }) => by === 'witness');
    return service === undefined || service.from > Date.now() ? null : presentHead(service.alone.witness!);
  }

  async ask(stop?: AbortSignal): Promise<void> {
    await Promise.all(this.services.map((service) => this.askService(service, stop)));
  }

  private async askService(service: Service, stop?: AbortSignal): Promise<void> {
    if (service.from > Date.now()) return;
    let requests = 0;
    for (const name of namesFrom(await this.archive.namesMissing(service.by), service.failed)) {
      if (stop?.aborted || requests === MOST_AT_ONCE) return;
      const trailer = await this.trailerOf(service, name);
      if (trailer === 'unreadable') continue;
      requests += 1;
      const fault = trailer === null ? null : await this.complete(service, name, trailer);
      if (fault === null) {
        await this.archive.unmark(service.by, name);
        service.pause = FIRST_PAUSE_MS;
        continue;
      }
      const todo = 'The bundle is kept. The service is asked again; `holdfast audit witness FILE` asks too.';
      this.log.warn({ file: name, by: service.by, reason: fault, todo }, 'a receipt is missing');
      service.failed = name;
      service.from = Date.now() + service.pause;
      service.pause = Math.min(service.pause * 2, LONGEST_PAUSE_MS);
      return;
    }
  }

  /** Null: this bundle can have no receipt. `unreadable`: the disk does not give it now. */
  private async trailerOf({ by }: Service, name: string): Promise<Trailer | 'unreadable' | null> {
    try {
      return await readTrailer(this.archive.pathOf(name));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null; // it was not kept, or is deleted
      const reason = errorMessage(error).slice(0, 500);
      if (error instanceof NotWhole) {
        const todo = 'Restore it from a backup, then run `holdfast audit witness FILE`.';
        this.log.error({ file: name, by, reason, todo }, 'a kept bundle is damaged, and gets no receipt');
        return null;
      }
      this.log.warn({ file: name, by, reason }, 'a kept bundle cannot be read, and has no receipt yet');
      return 'unreadable';
    }
  }

  /** @returns why there is no receipt; null: there is one */
  private async complete({ by, alone }: Service, name: string, trailer: Trailer): Promise<string | null> {
    try {
      const { added, faults } = await addReceipts(this.archive.pathOf(name), trailer, alone);
      if (added.length > 0) this.log.info({ file: name, by }, 'receipt added');
      return faults[0] ?? null;
    } catch (error) {
      return errorMessage(error).slice(0, 500);
    }
  }
}

/** The names behind one, and then the others. */
function namesFrom(names: readonly string[], name: string): string[] {
  const next = names.findIndex((one) => one > name);
  return next < 0 ? [...names] : [...names.slice(next), ...names.slice(0, next)];
}
