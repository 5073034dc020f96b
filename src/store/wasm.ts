/** The modules that `npm run build` makes of `assembly/`: a kilobyte each, with a memory of their own. */
import { readFileSync } from 'node:fs'

/** The part of the WebAssembly API that is used here; Node's types leave it to the browser's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** An address (or a size) that a module exports. */
export interface WasmPlace {
  readonly value: number
}

/** A new instance; `T` is what the module exports. (`src/` and `dist/` lie side by side, so one path serves both.) */
export function loadWasm<T>(name: 'deflate' | 'snappy'): T {
  const file = new URL(`../../wasm/${name}.wasm`, import.meta.url)
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)))
  return instance.exports as T
}
