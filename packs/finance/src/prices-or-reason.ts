import { isToolError } from 'holdfast/tools';
import type { MarketDataProvider, PriceSeries } from './data';

/** The series, or the reason why the provider has none; any other failure is thrown on. */
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
