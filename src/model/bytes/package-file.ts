/** Files of the package, found from the place of this module: `src/` in tests, a bundle otherwise. */
import { existsSync } from 'node:fs'

/** The URL of `path`, which is relative to the folder of `package.json`. */
export function packageFile(path: string): URL {
  let folder = new URL('.', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('..', folder)
    if (parent.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`)
    folder = parent
  }
  return new URL(path, folder)
}
