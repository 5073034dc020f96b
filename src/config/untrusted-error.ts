import { withoutControls } from '../model/index.js'

/**
 * A crawl directory or ledger asks for something that this user has not agreed to. `message` is one line for
 * the user.
 */
export class UntrustedError extends Error {
  override readonly name = 'UntrustedError'
  /** Whether `--trust` allows it. A path that leads out of the directory is never allowed. */
  readonly canBeTrusted: boolean

  constructor(message: string, canBeTrusted: boolean) {
    // The message quotes untrusted text.
    super(withoutControls(message))
    this.canBeTrusted = canBeTrusted
  }
}
