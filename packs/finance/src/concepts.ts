/**
 * The lines of the statements, each with its names in the sources: us-gaap tags in order of preference, then the label of the
 * FinanceToolkit data set. `Revenues` comes before the contract revenue tag because Alphabet reports both, and only the former is
 * its total.
 */
import type { Fact, Report } from './data';

export interface Line {
  label: string;
  statement: 'income' | 'balance' | 'cash_flow';
  names: string[];
}

const line = (statement: Line['statement'], label: string, ...names: string[]): Line => ({ statement, label, names });

export const LINES = {
  revenue: line(
    'income',
    'Revenue',
    'Revenues',
    'RevenueFromContractWithCustomerExcludingAssessedTax',
    'SalesRevenueNet',
    'Revenue',
  ),
  cost: line('income', 'Cost of revenue', 'CostOfRevenue', 'CostOfGoodsAndServicesSold', 'Cost of Goods Sold'),
  grossProfit: line('income', 'Gross profit', 'GrossProfit', 'Gross Profit'),
  research: line('income', 'Research and development', 'ResearchAndDevelopmentExpense', 'Research and Development Expenses'),
  overhead: line(
    'income',
    'Selling, general, admin.',
    'SellingGeneralAndAdministrativeExpense',
    'Selling, General and Administrative Expenses',
  ),
  operatingIncome: line('income', 'Operating income', 'OperatingIncomeLoss', 'Operating Income'),
  interest: line('income', 'Interest expense', 'InterestExpense', 'Interest Expense'),
  pretax: line(
    'income',
    'Income before tax',
    'IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest',
    'Income Before Tax',
  ),
  tax: line('income', 'Income tax', 'IncomeTaxExpenseBenefit', 'Income Tax Expense'),
  netIncome: line('income', 'Net income', 'NetIncomeLoss', 'Net Income'),
  epsBasic: line('income', 'EPS, basic', 'EarningsPerShareBasic', 'EPS'),
  epsDiluted: line('income', 'EPS, diluted', 'EarningsPerShareDiluted'),
  sharesBasic: line(
    'income',
    'Average shares, basic',
    'WeightedAverageNumberOfSharesOutstandingBasic',
    'Weighted Average Shares',
  ),
  sharesDiluted: line(
    'income',
    'Average shares, diluted',
    'WeightedAverageNumberOfDilutedSharesOutstanding',
    'Weighted Average Shares Diluted',
  ),
  dividend: line('income', 'Dividend per share', 'CommonStockDividendsPerShareDeclared'),
  cash: line('balance', 'Cash and equivalents', 'CashAndCashEquivalentsAtCarryingValue', 'Cash and Cash Equivalents'),
  securities: line('balance', 'Marketable securities', 'MarketableSecuritiesCurrent', 'Short Term Investments'),
  receivables: line('balance', 'Accounts receivable', 'AccountsReceivableNetCurrent', 'Accounts Receivable'),
  inventory: line('balance', 'Inventory', 'InventoryNet', 'Inventory'),
  currentAssets: line('balance', 'Current assets', 'AssetsCurrent', 'Total Current Assets'),
  property: line('balance', 'Property and equipment', 'PropertyPlantAndEquipmentNet', 'Property, Plant and Equipment'),
  goodwill: line('balance', 'Goodwill', 'Goodwill'),
  assets: line('balance', 'Total assets', 'Assets', 'Total Assets'),
  payables: line('balance', 'Accounts payable', 'AccountsPayableCurrent', 'Accounts Payable'),
  commercialPaper: line('balance', 'Commercial paper', 'CommercialPaper'),
  debtCurrent: line('balance', 'Debt due within a year', 'LongTermDebtCurrent', 'Short Term Debt'),
  currentLiabilities: line('balance', 'Current liabilities', 'LiabilitiesCurrent', 'Total Current Liabilities'),
  debtNoncurrent: line('balance', 'Long-term debt, non-current', 'LongTermDebtNoncurrent', 'Long Term Debt'),
  debtTotal: line('balance', 'Long-term debt, all', 'LongTermDebt'),
  liabilities: line('balance', 'Total liabilities', 'Liabilities', 'Total Liabilities'),
  retained: line('balance', 'Retained earnings', 'RetainedEarningsAccumulatedDeficit', 'Retained Earnings'),
  equity: line('balance', "Shareholders' equity", 'StockholdersEquity', 'Total Shareholder Equity'),
  operatingCash: line('cash_flow', 'Cash from operations', 'NetCashProvidedByUsedInOperatingActivities'),
  depreciation: line('cash_flow', 'Depreciation', 'DepreciationDepletionAndAmortization'),
  stockPay: line('cash_flow', 'Share-based compensation', 'ShareBasedCompensation'),
  investment: line(
    'cash_flow',
    'Capital expenditure',
    'PaymentsToAcquirePropertyPlantAndEquipment',
    'PaymentsToAcquireProductiveAssets',
  ),
  investingCash: line('cash_flow', 'Cash from investing', 'NetCashProvidedByUsedInInvestingActivities'),
  buybacks: line('cash_flow', 'Share repurchases', 'PaymentsForRepurchaseOfCommonStock'),
  dividendsPaid: line('cash_flow', 'Dividends paid', 'PaymentsOfDividends'),
  financingCash: line('cash_flow', 'Cash from financing', 'NetCashProvidedByUsedInFinancingActivities'),
} satisfies Record<string, Line>;

export type LineKey = keyof typeof LINES;

/** The figure of a line for the report's own period, or for the prior period; undefined if not reported. */
export function figure(report: Report, key: LineKey, which: 'own' | 'prior' = 'own'): Fact | undefined {
  for (const name of LINES[key].names) {
    const match = report.facts.find((fact) => fact.concept === name && (fact.end === report.end) === (which === 'own'));
    if (match) return match;
  }
  return undefined;
}

/** Shares outstanding on the report's cover: dated a few weeks after the period. */
export function sharesOutstanding(report: Report): Fact | undefined {
  return report.facts.find((fact) => fact.concept === 'EntityCommonStockSharesOutstanding');
}
