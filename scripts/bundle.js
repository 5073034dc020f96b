/**
 * Puts our modules together in a few files in `dist/`, because finding, reading and linking two hundred of them takes
 * 150 ms of CPU at every start, and as much again in each thread. What comes from npm stays outside, and a module that
 * is loaded on demand still is. Part of `npm run build`; the types beside them are the compiler's.
 */
import { rmSync } from 'node:fs'
import { build } from 'esbuild'

// Files of an earlier build have other names.
rmSync('dist', { recursive: true, force: true })

await build({
  entryPoints: [
    'src/index.ts',
    'src/cli/main.ts',
    'src/compose/agent-thread.ts',
    'src/compose/ledger-thread.ts',
    'src/compose/store-thread.ts',
  ],
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
})
