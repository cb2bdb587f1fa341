/** Reads the prices of a company, where missing prices are a reason and not an error. */
import { isToolError } from 'holdfast/tools';
import type { MarketDataProvider, PriceSeries } from './data';

/** The series, or the reason why the provider has none. @throws any other failure */
export async function pricesOrReason(
  market: MarketDataProvider,
  ticker: string,
  signal: AbortSignal,
): Promise<PriceSeries | { reason: string }> {
  try {
    return await market.prices(ticker, signal);
  } catch (error) {
    if (isToolError(error) && error.detail.code === 'RESOURCE_NOT_FOUND')
      return { reason: `${error.detail.reason}: ${error.message}` };
    throw error;
  }
}
