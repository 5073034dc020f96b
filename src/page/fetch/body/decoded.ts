/**
 * What undoing a coding gave. `cut`: the body went on past the limit, or ended before it should have, or was
 * damaged from there on.
 */
export type Decoded =
  | { readonly ok: true; readonly body: Buffer; readonly cut: Cut | null }
  | { readonly ok: false; readonly detail: string }

export type Cut = 'limit' | 'early'

/** One way of undoing a coding. */
export interface Coding {
  readonly name: string
  /** `later`: too much to be done at once. */
  atOnce(bytes: Buffer, maxBytes: number): Decoded | 'later'
  later(bytes: Buffer, maxBytes: number): Promise<Decoded>
}

/** Bodies up to this many bytes are decoded at once, as long as no more than this comes out. */
export const AT_ONCE_BYTES = 256 * 1024
export const AT_ONCE_OUTPUT_BYTES = 4 * 1024 * 1024

export function notDecodable(name: string): Decoded {
  return { ok: false, detail: `not ${name}, though it says so` }
}
