import { readdirSync, readFileSync } from 'node:fs'

/**
 * The high-water marks of a process that still runs and of its children, in bytes; 0 where the kernel does
 * not tell.
 */
export function peakRssOf(pid: number): number {
  const kib = Number(/VmHWM:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
  return childrenOf(pid).reduce((sum, child) => sum + peakRssOf(child), kib * 1024)
}

export function childrenOf(pid: number): number[] {
  const lists = tasksOf(pid).map(task => read(`/proc/${pid}/task/${task}/children`))
  return lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Processes end while one looks. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
