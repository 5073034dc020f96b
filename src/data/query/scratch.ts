/** Folders of our own that must not outlive the process, however it ends (short of being killed). */
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

/** Runs `task` with a folder among the system's temporary ones that is gone afterwards. */
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
