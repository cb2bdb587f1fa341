/** The option `--data`, which overrides HOLDFAST_DATA. */
import { Option } from 'commander';
import { DATA_SOURCES, loadConfig, type Config } from '../../config';

export interface DataOption {
  data?: Config['data'];
}

export function dataOption(): Option {
  const description = 'what the finance tools read: the embedded snapshot, or live EDGAR; default: HOLDFAST_DATA, else snapshot';
  return new Option('--data <source>', description).choices(DATA_SOURCES);
}

/** @throws ConfigError */
export function configWith({ data }: DataOption): Config {
  return loadConfig(data === undefined ? process.env : { ...process.env, HOLDFAST_DATA: data });
}
