/**
 * Answers `orbweaver checkpoint`: a number asked for in the settings is told back once all that was fetched
 * before is durable.
 */
export class Checkpoint {
  readonly #seal: () => Promise<void>
  readonly #onDone: () => void
  #asked = ''
  #done = ''

  /** `onDone`: there is something new to tell. */
  constructor(seal: () => Promise<void>, onDone: () => void) {
    this.#seal = seal
    this.#onDone = onDone
  }

  /** The number of the last that was answered. */
  get done(): string {
    return this.#done
  }

  /** Sees the settings of every heartbeat. */
  apply(settings: Readonly<Record<string, string>>): void {
    const asked = settings['checkpoint.asked'] ?? ''
    if (asked === this.#asked || asked === settings['checkpoint.done']) return
    this.#asked = asked
    // What keeps a pack from being committed ends the agent, and that is answer enough.
    void this.#seal().then(() => {
      this.#done = asked
      this.#onDone()
    })
  }
}
