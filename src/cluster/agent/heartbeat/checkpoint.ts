/** Answers `orbweaver checkpoint`: reports the number in the settings once earlier pages are durable. */
export class Checkpoint {
  readonly #seal: () => Promise<void>
  readonly #onDone: () => void
  #asked = ''
  #done = ''

  constructor(seal: () => Promise<void>, onDone: () => void) {
    this.#seal = seal
    this.#onDone = onDone
  }

  /** The number of the last checkpoint that is done. */
  get done(): string {
    return this.#done
  }

  /** Called with the settings of every heartbeat. */
  apply(settings: Readonly<Record<string, string>>): void {
    const asked = settings['checkpoint.asked'] ?? ''
    if (asked === this.#asked || asked === settings['checkpoint.done']) return
    this.#asked = asked
    // If the pack cannot be committed, the agent ends, and the checkpoint needs no answer.
    void this.#seal().then(() => {
      this.#done = asked
      this.#onDone()
    })
  }
}
