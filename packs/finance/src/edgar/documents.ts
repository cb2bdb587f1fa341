/** Reads sections of a filing as filed, from its main document or from the exhibit that the document points to. */
import type { FiledSection, Filing } from '../data';
import { notFound } from '../not-found';
import { inThread } from 'holdfast/tools';
import { sectionsJob, type PeriodicForm, type SectionName, type SectionReading } from '../sections';
import type { Addresses } from './addresses';
import { FOLDER } from './answers';
import { SharedCache } from './shared-cache';
import type { EdgarReader, SourcedAnswer } from './reader';

/** A reading is some hundred KB of text. */
const KEPT_READINGS = 16;
/** Names of files in EDGAR's folders; no other name is put into a URL. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

type Readings = SourcedAnswer<Record<SectionName, SectionReading>>;

export class Documents {
  private readonly readings = new SharedCache<Readings>({ max: KEPT_READINGS });

  constructor(
    private readonly reader: EdgarReader,
    private readonly addresses: Addresses,
  ) {}

  /** @throws ToolError RESOURCE_NOT_FOUND `document_not_found`, `section_not_found`, `exhibit_not_found` */
  async section(cik: string, filing: Filing, section: SectionName, signal?: AbortSignal): Promise<FiledSection> {
    const form = filing.form === '10-Q' ? '10-Q' : '10-K';
    const main = await this.read(cik, filing, filing.document ?? '', form, signal);
    const reading = main.value[section];
    if ('found' in reading) return this.withSource(filing, main, reading.found);
    if ('missing' in reading) throw missing(filing, section, reading.missing);
    const { exhibit, sentence } = reading.pointer;
    const name = await this.exhibitName(cik, filing, exhibit, signal);
    const other = await this.read(cik, filing, name, 'exhibit', signal);
    const there = other.value[section];
    if (!('found' in there)) {
      const why = 'missing' in there ? there.missing : there.pointer.sentence;
      throw missing(filing, section, `the report points to its exhibit ${exhibit} ("${sentence}"), and there: ${why}`);
    }
    const note = `The report itself says: "${sentence}". This is the text of its exhibit ${exhibit} (${name}).`;
    return this.withSource(filing, other, { ...there.found, notes: [note, ...there.found.notes] });
  }

  private withSource(filing: Filing, { source }: Readings, section: Omit<FiledSection, 'source'>): FiledSection {
    return { ...section, source: `EDGAR ${filing.form} ${filing.accession}: ${source}` };
  }

  private read(
    cik: string,
    filing: Filing,
    name: string,
    form: PeriodicForm | 'exhibit',
    signal?: AbortSignal,
  ): Promise<Readings> {
    const absent = () =>
      notFound(
        'document_not_found',
        `EDGAR has no document ${JSON.stringify(name)} of ${filing.accession}.`,
        'Take another filing, or the figures by ratio_card.',
      );
    if (!FILE_NAME.test(name)) return Promise.reject(absent());
    const url = this.addresses.file(cik, filing.accession, name);
    const load = async (until: AbortSignal) => {
      const { value, ...rest } = await this.reader.document(url, absent, until);
      return { ...rest, value: await inThread(sectionsJob, { html: value, form }, { owner: cik, signal: until }) };
    };
    return this.readings.get(url, load, signal);
  }

  /** Finds an exhibit by file name, as the index has no exhibit numbers. Filers use `ex13`, `ex-13`, `exhibit13`, `dex13`. */
  private async exhibitName(cik: string, filing: Filing, exhibit: string, signal?: AbortSignal): Promise<string> {
    const none = () =>
      notFound(
        'exhibit_not_found',
        `The folder of ${filing.accession} has no exhibit ${exhibit} that could be told by its name.`,
        'Take another filing, or the figures by ratio_card.',
      );
    const number = /^\d{1,3}/.exec(exhibit)?.[0] ?? '';
    const folder = await this.reader.json(this.addresses.file(cik, filing.accession, 'index.json'), FOLDER, none, signal);
    const findName = (pattern: RegExp) =>
      folder.value.directory.item.map(({ name }) => name).find((name) => FILE_NAME.test(name) && pattern.test(name));
    const start = `ex(?:hibit)?[-_.]?${number}`;
    const fileName =
      findName(new RegExp(`${start}(?!\\d).*\\.html?$`, 'i')) ?? findName(new RegExp(`${start}[-_.]?0?1(?!\\d).*\\.html?$`, 'i'));
    if (number === '' || fileName === undefined) throw none();
    return fileName;
  }
}

function missing(filing: Filing, section: SectionName, why: string) {
  return notFound(
    'section_not_found',
    `The section "${section}" could not be read from the ${filing.form} ${filing.accession}: ${why}.`,
    'Try another section or another filing; ratio_card has the figures of an annual report.',
  );
}
