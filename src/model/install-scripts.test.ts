import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

interface Locked {
  readonly hasInstallScript?: boolean
}

it('npm runs no install script of a dependency, on any platform, and need not warn of one', () => {
  const locked = Object.entries<Locked>(read('package-lock.json').packages)
  const names = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  expect(names).toContain('esbuild')
  expect(read('package.json').allowScripts).toEqual(Object.fromEntries(names.map(name => [name, false])))
  expect(JSON.stringify(read('bench/package-lock.json'))).not.toContain('hasInstallScript')
})
