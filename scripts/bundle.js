/**
 * Puts our modules together in a few files in `dist/`, because finding, reading and linking two hundred of
 * them takes 150 ms of CPU at every start, and as much again in each thread. What comes from npm stays
 * outside, and a module that is loaded on demand still is. Part of `npm run build`; the types beside them are
 * the compiler's.
 */
import { rmSync } from 'node:fs'
import { build } from 'esbuild'
import { directImports } from './direct-imports.js'

// Files of an earlier build have other names.
rmSync('dist', { recursive: true, force: true })

const options = {
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [directImports],
}

await build({
  ...options,
  entryPoints: [
    { in: 'src/index.ts', out: 'index' },
    { in: 'src/cli/main.ts', out: 'cli/main' },
    { in: 'experiments/main.ts', out: 'experiments/main' },
  ],
})
// The program as the fault tests start it: apart, so that the bundles of the program stay as they are.
for (const entry of ['main', 'agent-thread'])
  await build({
    ...options,
    entryPoints: [`test/kit/faults/${entry}.ts`],
    outbase: 'test/kit',
    outdir: 'dist',
  })
// Each thread apart: a file shared with other entries would hold what any of them needs, and a thread would
// have to load all of it. `sideEffects` in package.json lets go of what is imported but not used.
await build({ ...options, entryPoints: ['src/compose/strip-types.ts'] })
for (const thread of ['agent', 'ledger', 'store'])
  await build({ ...options, entryPoints: [`src/compose/${thread}-thread.ts`] })
// Programs of sandboxes: one file with everything from npm that they use, because they may read no other.
for (const program of ['guest'])
  await build({
    ...options,
    entryPoints: [`src/compose/${program}-child.ts`],
    format: 'cjs',
    splitting: false,
    packages: 'bundle',
    outExtension: { '.js': '.cjs' },
  })
