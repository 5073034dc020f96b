/** Ends an agent: because it was told to stop, or because of an error that it cannot survive. */
import { Stop, type StopSignal, type WakeUp } from '../../model/index.js'

export class AgentStop {
  readonly #stop = new Stop()
  readonly #wake: WakeUp
  #failure: Error | null = null

  /** `wake` ends the waits of the agent. */
  constructor(wake: WakeUp) {
    this.#wake = wake
  }

  /** Aborts when the agent stops: lanes send nothing more. */
  get signal(): StopSignal {
    return this.#stop.signal
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure
  }

  stop(): void {
    this.#stop.abort()
    this.#wake.notify()
  }

  /** The first error counts: those that follow are often its consequences. */
  readonly fail = (error: Error): void => {
    this.#failure ??= error
    this.stop()
  }
}
