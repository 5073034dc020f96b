/** Temporary folders, removed when the process exits unless it is killed. */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const open = new Set<string>()

/** A new folder whose path begins with `prefix`. */
export async function makeScratch(prefix: string): Promise<string> {
  if (open.size === 0) process.on('exit', removeAll)
  const folder = await mkdtemp(prefix)
  open.add(folder)
  return folder
}

export async function removeScratch(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  open.delete(folder)
  if (open.size === 0) process.off('exit', removeAll)
}

/** Runs `task` with a new temporary folder and removes it afterwards. */
export async function withScratch<T>(task: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeScratch(join(tmpdir(), 'orbweaver-export-'))
  try {
    return await task(folder)
  } finally {
    await removeScratch(folder)
  }
}

function removeAll(): void {
  for (const folder of open) rmSync(folder, { recursive: true, force: true })
}
