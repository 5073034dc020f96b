/** Parses `--archive`; a wrong value is a result, not an exception. */

export type ArchiveFormat =
  | { readonly codec: 'gzip'; readonly level: number }
  | { readonly codec: 'zstd'; readonly level: number }
  /** Nothing is archived. */
  | { readonly codec: 'none' }

const ZSTD_LEVEL = 3

export type ArchiveChoice =
  | { readonly ok: true; readonly format: ArchiveFormat }
  | { readonly ok: false; readonly message: string }

/** Reads `gzip`, `gzip:LEVEL`, `zstd`, `zstd:LEVEL` or `none`. */
export function parseArchiveFormat(text: string): ArchiveChoice {
  const [codec, level] = text.split(':', 2)
  if (codec === 'none' && level === undefined) return { ok: true, format: { codec } }
  if (codec === 'gzip') return withLevel(codec, level ?? '1', 9)
  if (codec === 'zstd') return withLevel(codec, level ?? String(ZSTD_LEVEL), 19)
  return { ok: false, message: `--archive ${text}: expected gzip, gzip:LEVEL, zstd, zstd:LEVEL or none` }
}

function withLevel(codec: 'gzip' | 'zstd', text: string, max: number): ArchiveChoice {
  const level = Number(text)
  if (Number.isInteger(level) && level >= 1 && level <= max) return { ok: true, format: { codec, level } }
  return { ok: false, message: `--archive ${codec}:${text}: the level is a number from 1 to ${max}` }
}
