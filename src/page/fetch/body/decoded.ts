/** The result of undoing a coding. `cut`: the body exceeded the limit, ended early or was damaged. */

export type Decoded =
  | { readonly ok: true; readonly body: Buffer; readonly cut: Cut | null }
  | { readonly ok: false; readonly detail: string }

export type Cut = 'limit' | 'early'

export interface Coding {
  readonly name: string
  /** `later`: too large to be decoded synchronously. */
  atOnce(bytes: Buffer, maxBytes: number): Decoded | 'later'
  later(bytes: Buffer, maxBytes: number): Promise<Decoded>
}

export function notDecodable(name: string): Decoded {
  return { ok: false, detail: `not ${name}, though it says so` }
}
