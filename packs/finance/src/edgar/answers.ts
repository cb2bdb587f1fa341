/** Schemas of EDGAR's JSON, for the fields that are used. An answer that does not fit is refused. */
import { z } from 'zod';

/** company_tickers.json: by a running number, largest company first. */
export const TICKERS = z.record(
  z.string(),
  z.object({ cik_str: z.number().int().positive().max(9_999_999_999), ticker: z.string().max(20), title: z.string().max(300) }),
);

/** Columns of equal length; row i is a filing. Newest first. */
const COLUMNS = z
  .object({
    accessionNumber: z.array(z.string().regex(/^\d{10}-\d{2}-\d{6}$/)),
    filingDate: z.array(z.string().regex(/^\d{4}-\d{2}-\d{2}$/)),
    reportDate: z.array(z.string().max(10)),
    form: z.array(z.string().max(40)),
    items: z.array(z.string().max(200)),
    primaryDocument: z.array(z.string().max(300)),
  })
  .refine((columns) => new Set(Object.values(columns).map((column) => column.length)).size === 1, 'columns differ in length');
export type Columns = z.output<typeof COLUMNS>;

export const SUBMISSIONS = z.object({
  name: z.string().max(300),
  sic: z.string().max(10).nullish(),
  sicDescription: z.string().max(300).nullish(),
  formerNames: z
    .array(z.object({ name: z.string().max(300) }))
    .max(100)
    .default([]),
  filings: z.object({
    recent: COLUMNS,
    files: z
      .array(
        z.object({
          name: z.string().regex(/^CIK\d{10}-submissions-\d{3}\.json$/),
          filingFrom: z.string().max(10),
          filingTo: z.string().max(10),
        }),
      )
      .max(1000),
  }),
});
export type Submissions = z.output<typeof SUBMISSIONS>;

/** An older page has the columns and nothing else. */
export const OLDER_PAGE = COLUMNS;

/** index.json of a filing's folder. */
export const FOLDER = z.object({
  directory: z.object({ item: z.array(z.object({ name: z.string().max(300) })).max(10_000) }),
});
