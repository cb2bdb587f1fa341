/** The tools of the four packs, by the names that this player knows. */
export const PACKS = {
  finance: [
    'search_filings',
    'fetch_filing_section',
    'get_quote',
    'get_price_history',
    'search_news',
    'peer_companies',
    'ratio_card',
    'calculate',
    'stats_summary',
    'send_credit_memo',
  ],
  workspace: ['glob', 'grep', 'read_file', 'write_file', 'edit_file', 'bash'],
  onchain: ['simulate_swap', 'swap_token'],
  reference: ['get_weather', 'search_documents', 'generate_report'],
} as const;

export type Pack = keyof typeof PACKS;
