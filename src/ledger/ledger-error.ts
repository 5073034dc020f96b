/** What can be wrong with a ledger as a whole; `message` is one line for the user. */
export class LedgerError extends Error {
  /** `away`: no answer came, and the call may have taken effect. `taken`: another crawl has that name. */
  readonly kind: 'corrupt' | 'newer' | 'missing' | 'read-only' | 'full' | 'busy' | 'away' | 'denied' | 'taken'

  constructor(kind: LedgerError['kind'], message: string) {
    super(message)
    this.name = 'LedgerError'
    this.kind = kind
  }
}
