import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CACHE, type Corpus, type Host } from './corpus.js'
import { reachablePages } from './reachable.js'

/** Debian packages of HTML documentation: where they put it and where reading starts. */
const PACKAGES = [
  { name: 'python3-doc', folder: '/usr/share/doc/python3-doc/html', start: '/index.html' },
  { name: 'postgresql-doc-15', folder: '/usr/share/doc/postgresql-doc-15/html', start: '/index.html' },
  { name: 'cmake-doc', folder: '/usr/share/doc/cmake-doc/html', start: '/index.html' },
  { name: 'sqlite3-doc', folder: '/usr/share/doc/sqlite3', start: '/index.html' },
  { name: 'git-doc', folder: '/usr/share/doc/git-doc', start: '/index.html' },
  { name: 'python-django-doc', folder: '/usr/share/doc/python-django-doc/html', start: '/index.html' },
  { name: 'libboost1.74-doc', folder: '/usr/share/doc/libboost1.74-doc/doc/html', start: '/index.html' },
  { name: 'qtbase5-doc-html', folder: '/usr/share/qt5/doc', start: '/qtcore/qtcore-index.html' },
  { name: 'libstdc++-12-doc', folder: '/usr/share/doc/gcc-12-base/libstdc++', start: '/index.html' },
  { name: 'openjdk-17-doc', folder: '/usr/share/doc/openjdk-17-doc', start: '/api/index.html' },
  { name: 'scala-doc', folder: '/usr/share/doc/scala-2.11/api/library', start: '/index.html' },
  { name: 'twisted-doc', folder: '/usr/share/doc/twisted-doc/html', start: '/index.html' },
  { name: 'python-pandas-doc', folder: '/usr/share/doc/python-pandas-doc/html', start: '/index.html' },
  { name: 'libeigen3-doc', folder: '/usr/share/doc/libeigen3-dev/html', start: '/index.html' },
  {
    name: 'libgtkmm-3.0-doc',
    folder: '/usr/share/doc/libgtkmm-3.0-doc/reference/html',
    start: '/index.html',
  },
] as const

export const DOC_PACKAGES = PACKAGES.map(package_ => package_.name)

export function missingDocs(): string[] {
  return PACKAGES.filter(({ folder, start }) => !existsSync(join(folder, start))).map(({ name }) => name)
}

/** Real HTML: what is installed of the packages, unpacked, one loopback host each. */
export async function docsCorpus(): Promise<Corpus> {
  const hosts: Host[] = []
  for (const [index, { name, folder, start }] of PACKAGES.entries()) {
    if (!existsSync(join(folder, start))) continue
    const copy = join(CACHE, 'docs', name)
    const list = `${copy}.pages.json`
    if (!existsSync(list)) {
      await rm(copy, { recursive: true, force: true })
      await unpack(folder, copy)
      await writeFile(join(copy, 'robots.txt'), 'User-agent: *\nDisallow:\n')
      await writeFile(list, JSON.stringify([...(await reachablePages(copy, start))]))
    }
    const pages: string[] = JSON.parse(await readFile(list, 'utf8'))
    hosts.push({
      address: `127.0.2.${index + 1}`,
      folder: copy,
      start,
      pages: new Set(pages),
      redirects: new Map(),
    })
  }
  return { name: 'real HTML', hosts }
}

/** Copies the HTML only, following Debian's symbolic links and undoing its compression. */
async function unpack(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    const source = join(from, name)
    const found = await stat(source).catch(() => undefined)
    if (found === undefined) continue
    if (found.isDirectory()) await unpack(source, join(to, name))
    else if (name.endsWith('.html')) await cp(source, join(to, name), { dereference: true })
    else if (name.endsWith('.html.gz')) {
      await writeFile(join(to, name.slice(0, -3)), gunzipSync(await readFile(source)))
    }
  }
}
