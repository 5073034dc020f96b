/** Ports and types of the sandbox. */
import type { Millis } from '../../model/index.js'

/** What the operating system says of the child. */
export interface ChildUsage {
  readonly cpuMs: Millis
  readonly rssBytes: number
}

/** Port: a running child. `compose/` starts the process; tests may use one without any. */
export interface SandboxChild {
  /** Writes without waiting. */
  write(bytes: Buffer): void
  /** At most one of each; `onEnd` is called once, also after `kill`, with what is known of the reason. */
  listen(onBytes: (bytes: Buffer) => void, onEnd: (detail: string) => void): void
  /** Null where the system does not say. */
  usage(): ChildUsage | null
  kill(): void
}

export interface SandboxLimits {
  /** CPU time that the child may use for one task. */
  readonly cpuMs: Millis
  /** The same by the wall clock, where the CPU time is unknown. */
  readonly wallMs: Millis
  /** Wall time after which a child that uses no CPU is given up too. */
  readonly silentMs: Millis
  /** A task that waits longer than this for its answer fails. */
  readonly waitMs: Millis
  readonly rssBytes: number
  /** Length of one answer. */
  readonly answerBytes: number
}

export type SandboxFailure = 'timeout' | 'memory' | 'output' | 'crashed'

export type SandboxAnswer =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly why: SandboxFailure; readonly detail: string }
