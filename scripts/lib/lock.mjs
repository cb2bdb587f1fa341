/**
 * A lock between processes: a file that is created whole (hard link) and names its holder's pid.
 * A lock whose holder is dead is taken over, so that a killed set-up blocks nobody.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while holding the lock at `path`.
 * @param {string} path
 * @param {(holder: number) => void} onWait called once when somebody else holds it
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
    return null; // released between two looks
  }
}

/** Moves the lock aside first: two who wait must not both remove it, the second one removing the first one's new lock. */
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
