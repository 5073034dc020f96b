import { shellWord } from '../model/index.js'

/** A file of a crawl directory differs from what was written. `message` is one line for the user. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
  /** Relative to the crawl directory. */
  readonly file: string

  constructor(file: string, message: string) {
    super(message)
    this.file = file
  }
}

/** `detail` says what is wrong with the file, e.g. "is missing". */
export function damageError(directory: string, file: string, detail: string): DamageError {
  return new DamageError(file, `${file} ${detail}; run "orbweaver repair ${shellWord(directory)}"`)
}
