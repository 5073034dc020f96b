/** Tasks for the child of a sandboxed guest: JSON and texts, each with its length. Answers are JSON. */

export type GuestTask =
  | { readonly kind: 'open'; readonly code: string; readonly fileName: string; readonly state: string }
  | { readonly kind: 'select'; readonly facts: object }
  | {
      readonly kind: 'read'
      readonly facts: object
      readonly links: readonly string[]
      readonly wants: { readonly filter: boolean; readonly extract: boolean }
    }
  | { readonly kind: 'rate'; readonly urls: readonly string[] }
  | { readonly kind: 'save' }

/** What the guest exports. */
export interface GuestExports {
  readonly functions: Readonly<Record<string, string>>
  readonly name?: unknown
  readonly schema?: unknown
}

export interface GuestReading {
  readonly part: unknown
  readonly rows: unknown
}

export type RawRating =
  | { readonly accepted: boolean; readonly score: unknown }
  | { readonly failed: 'threw' | 'output'; readonly detail: string; readonly stack: string }

export type GuestAnswer =
  /** `state`: what `save` returned, if it has changed. */
  | { readonly ok: true; readonly value: unknown; readonly state?: string }
  | {
      readonly failed: 'threw' | 'output' | 'timeout' | 'memory' | 'crashed' | 'code'
      readonly detail: string
      readonly stack?: string
    }

const LENGTH_BYTES = 4

/** The parts, each after its length. */
export function packTask(task: GuestTask, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const bytes = [JSON.stringify(task), ...parts].map(part =>
    typeof part === 'string' ? Buffer.from(part) : part,
  )
  const packed = Buffer.allocUnsafe(bytes.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0))
  let at = 0
  for (const part of bytes) {
    packed.writeUInt32LE(part.length, at)
    packed.set(part, at + LENGTH_BYTES)
    at += LENGTH_BYTES + part.length
  }
  return packed
}

export function unpackTask(packed: Buffer): { readonly task: GuestTask; readonly parts: readonly Buffer[] } {
  const parts: Buffer[] = []
  for (let at = 0; at < packed.length; ) {
    const length = packed.readUInt32LE(at)
    parts.push(packed.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length))
    at += LENGTH_BYTES + length
  }
  const [head, ...rest] = parts
  return { task: JSON.parse(head.toString()) as GuestTask, parts: rest }
}
