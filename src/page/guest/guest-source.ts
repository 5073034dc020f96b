/** The code of a guest: JavaScript as it is, TypeScript without its types. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { GUEST_CODE_BYTES } from '../limits.js'

const TYPESCRIPT = new Set(['.ts', '.mts'])

export function isTypeScript(path: string): boolean {
  return TYPESCRIPT.has(extname(path))
}

/** The JavaScript of the module at `path`. Throws an error with one line. */
export async function readGuestCode(path: string): Promise<string> {
  const code = await readFile(path, 'utf8')
  if (code.length > GUEST_CODE_BYTES) throw new TypeError(`it is larger than ${GUEST_CODE_BYTES} bytes`)
  return isTypeScript(path) ? stripTypes(code) : code
}

/** Types become spaces, so lines and columns stay. */
export async function stripTypes(code: string): Promise<string> {
  const { default: swc } = await import('@swc/wasm-typescript')
  try {
    return swc.transformSync(code, { mode: 'strip-only', module: true }).code ?? ''
  } catch (error) {
    const { message = String(error), startLine } = error as { message?: string; startLine?: number }
    throw new TypeError(`${message}${startLine === undefined ? '' : ` (line ${startLine})`}`)
  }
}
