/** Compiles each module of `assembly/` to `wasm/`, unless what is there is newer. Part of `npm run build`. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--baseDir', root]

/** Pages of memory; the host gives `page` what one of the web needs. */
const MODULES = { deflate: 96, snappy: 96, page: 5, xxh64: 5, robots: 2 }

const sources = readdirSync(join(root, 'assembly')).map(name => `assembly/${name}`)
const newestSource = Math.max(...[...sources, 'scripts/build-wasm.js'].map(writtenAt))

for (const [name, pages] of Object.entries(MODULES)) {
  const source = `assembly/${name}.ts`
  const output = `wasm/${name}.wasm`
  if (writtenAt(output) > newestSource) continue
  // Loading the compiler takes seconds: only when there is something to compile.
  const { default: asc } = await import('assemblyscript/asc')
  const { error, stderr } = await asc.main([
    source,
    '--outFile',
    output,
    '--initialMemory',
    `${pages}`,
    ...OPTIONS,
  ])
  if (error) {
    process.stderr.write(stderr.toString())
    process.exit(1)
  }
}

function writtenAt(file) {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
