/** Errors of a worker whose health or metrics cannot be served. What serves them is elsewhere: a program can name them without loading it. */
import { errorMessage } from '../shared/text/error-message';

export class HealthUnavailable extends Error {
  override readonly name = 'HealthUnavailable';
  constructor(
    address: string,
    override readonly cause: unknown,
  ) {
    const why = errorMessage(cause);
    super(`Health cannot be served at ${address} (${why}). Set HOLDFAST_HEALTH_PORT to a free port of this machine.`);
  }
}

export class MetricsUnavailable extends Error {
  override readonly name = 'MetricsUnavailable';
  constructor(
    address: string,
    override readonly cause: unknown,
  ) {
    const why = errorMessage(cause);
    super(`The metrics cannot be served at ${address} (${why}). Set HOLDFAST_METRICS_PORT to a free port of this machine.`);
  }
}
