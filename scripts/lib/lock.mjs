/**
 * A lock between processes: a file that is created as a whole (hard link) and contains its holder's pid. The lock of a dead holder
 * is taken over, so that a killed set-up blocks nobody.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while holding the lock at `path`.
 * @param {string} path
 * @param {(holder: number) => void} onWait called once if another process holds it
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function withLock(path, onWait, work) {
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(own, String(process.pid));
  try {
    for (let told = false; !tryLink(own, path); told = true) {
      const holder = readHolder(path);
      if (holder !== null && !isAlive(holder)) breakStale(path, holder, own);
      else {
        if (!told && holder !== null) onWait(holder);
        await sleep(100);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function tryLink(own, path) {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || null;
  } catch {
    return null; // released meanwhile
  }
}

/** Renames the lock before removing it: otherwise, of two waiting processes, the second could remove the new lock of the first. */
function breakStale(path, holder, own) {
  const aside = `${own}.stale`;
  try {
    renameSync(path, aside);
    if (readHolder(aside) !== holder) tryLink(aside, path);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
