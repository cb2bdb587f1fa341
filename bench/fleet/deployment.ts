/** The fleet's workers, gateways and servers, as processes or as containers, and what can be done to them. */
import type { Person } from '../../test/support/gateway';
import type { Fault, FaultKind } from './plan';

export interface Size {
  workers: number;
  gateways: number;
}

/** What a deployment is given. */
export interface Around {
  /** For its files. */
  folder: string;
  /** The addresses of the ledger and of the model on this machine. */
  ledger: string;
  model: string;
  people: { starter: Person; approver: Person };
  say(line: string): void;
}

/** A process whose memory and open files are measured. */
export interface Measured {
  name: string;
  /** Null while it is being started again. */
  pid(): Promise<number | null>;
}

export interface Deployment {
  /** Where the gateways answer. */
  urls: readonly string[];
  /** Faults that cannot be made to happen here. */
  impossible: readonly FaultKind[];
  /** A worker and a gateway that no fault ends. */
  steady: readonly Measured[];
  /** Connections to the store's database; null: it did not answer. */
  connections(): Promise<number | null>;
  /** Makes a fault happen; resolves when it is over, at the latest soon after an interruption. */
  inject(fault: Fault, interrupted: AbortSignal): Promise<void>;
  /** How often a process was started again. */
  restarts(): number;
  close(): Promise<void>;
}
