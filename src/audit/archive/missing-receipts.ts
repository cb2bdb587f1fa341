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
import { completeReceipts } from './receipts';

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
    for (const name of (await this.archive.namesMissing(service.by)).slice(0, MOST_AT_ONCE)) {
      if (stop?.aborted) return;
      const fault = await this.complete(service, name);
      if (fault === null) {
        await this.archive.unmark(service.by, name);
        service.pause = FIRST_PAUSE_MS;
        continue;
      }
      const todo = 'The bundle is kept. The service is asked again; `holdfast audit witness FILE` asks too.';
      this.log.warn({ file: name, by: service.by, reason: fault, todo }, 'a receipt is missing');
      service.from = Date.now() + service.pause;
      service.pause = Math.min(service.pause * 2, LONGEST_PAUSE_MS);
      return;
    }
  }

  /** @returns why there is no receipt; null: there is one, or this bundle can have none */
  private async complete({ by, alone }: Service, name: string): Promise<string | null> {
    try {
      const { added, faults } = await completeReceipts(this.archive.pathOf(name), alone);
      if (added.length > 0) this.log.info({ file: name, by }, 'receipt added');
      return faults[0] ?? null;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null; // it was not kept, or is deleted
      if (!(error instanceof NotWhole)) return errorMessage(error).slice(0, 500);
      const todo = 'Restore it from a backup, then run `holdfast audit witness FILE`.';
      this.log.error({ file: name, by, reason: error.message, todo }, 'a kept bundle is damaged, and gets no receipt');
      return null;
    }
  }
}
