/** Schemas that inputs and outputs of the finance tools share: ticker and ISO date. */
import { z } from 'zod';

export const ticker = z
  .string()
  .regex(/^[A-Z]{1,5}$/)
  .describe('Ticker of a US-listed company: 1 to 5 upper-case letters, e.g. AAPL');

export const isoDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
