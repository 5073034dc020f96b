/** Loads the WebAssembly modules that `npm run build` makes from `assembly/`. */
import { readFileSync } from 'node:fs'
import { packageFile } from './package-file.js'

/** The part of the WebAssembly API that is used here: only the browser's types declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory
}

export interface WasmMemory {
  /** A new buffer after `grow`. */
  readonly buffer: ArrayBuffer
  /** In pages of 64 KiB. */
  grow(pages: number): number
}

/** An address (or a size) that a module exports. */
export interface WasmPlace {
  readonly value: number
}

/** A new instance; `T` is what the module exports. */
export function loadWasm<T>(name: 'deflate' | 'snappy' | 'page' | 'xxh64' | 'robots'): T {
  const bytes = readFileSync(packageFile(`wasm/${name}.wasm`))
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes))
  return instance.exports as T
}

const PAGE_BYTES = 65_536

/**
 * Memory aligned to a page of the machine, as O_DIRECT needs it. V8 reserves gigabytes of address space for
 * each WebAssembly memory; when it has none left, the buffer is not aligned.
 */
export function alignedBuffer(bytes: number): Buffer {
  const pages = Math.ceil(bytes / PAGE_BYTES)
  try {
    return Buffer.from(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer)
  } catch {
    return Buffer.allocUnsafeSlow(pages * PAGE_BYTES)
  }
}
