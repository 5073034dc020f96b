import { spawnSync } from 'node:child_process'
import { DOC_PACKAGES } from './corpus/docs.js'

const PROGRAMS = ['nginx-light', 'wget2', 'wget', 'python3-scrapy']

/** What npm does not have: Debian's crawlers, its web server and its documentation. */
export function installPeers(): void {
  const packages = [...PROGRAMS, ...DOC_PACKAGES]
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo']
  run([...asRoot, 'apt-get', 'update'])
  run([...asRoot, 'apt-get', 'install', '-y', '--no-install-recommends', ...packages])
}

function run([program, ...flags]: readonly string[]): void {
  const { status, error } = spawnSync(program, flags, { stdio: ['ignore', 2, 2] })
  if (status !== 0)
    throw new Error(`${program} ${flags.join(' ')}: ${error?.message ?? `exit code ${status}`}`)
}
