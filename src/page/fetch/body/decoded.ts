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

/** A body up to this size, with output up to this size, is decoded synchronously. */
export const AT_ONCE_BYTES = 256 * 1024
export const AT_ONCE_OUTPUT_BYTES = 4 * 1024 * 1024

export function notDecodable(name: string): Decoded {
  return { ok: false, detail: `not ${name}, though it says so` }
}
