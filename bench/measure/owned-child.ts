import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Starts a process that never outlives the benchmark, with whatever it starts itself. */
export function spawnOwned(command: readonly string[], options: SpawnOptions): ChildProcess {
  const [program, ...flags] = command
  // A process group of its own is what lets one signal reach all of it.
  const child = spawn(program, flags, { ...options, detached: true })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

process.on('exit', () => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
