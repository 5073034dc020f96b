import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const START_MS = 10_000
const STEP_MS = 100

/** Waits for a server's first answer, whatever it says; throws when there is none. */
export async function answering(child: ChildProcess, name: string, url: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < START_MS && child.exitCode === null; waitedMs += STEP_MS) {
    await sleep(STEP_MS)
    const reply = await fetch(url).catch(() => undefined)
    // Another server on that port would answer too, while ours has just ended for want of it.
    if (reply !== undefined && child.exitCode === null) return
  }
  await ended(child)
  throw new Error(`${name} does not answer at ${url}; is the port taken?`)
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}
