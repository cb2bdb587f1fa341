/**
 * Keeps compiled code in a folder below the home directory, so that the next command compiles less: Node 22 can. The folder is not
 * the one that Node would take, which anybody on this machine may write to: what stands in it is executed.
 */
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../devserver/cli-cache';

const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(cacheFolder(process.env), 'compiled'));
