/** A file of a crawl directory is not what was written there. `message` is one line for the user. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
  /** Relative to the crawl directory. */
  readonly file: string

  constructor(file: string, message: string) {
    super(message)
    this.file = file
  }
}
