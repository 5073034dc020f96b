/**
 * A plugin of the bundler: an import through a room's `index.ts` is bound to the file that defines the name.
 * esbuild keeps a re-export that any entry point uses for all of them, so an index would bring its whole room
 * into every thread.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const STATIC = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']*\/index\.js)'$/gm
const LAZY = /const \{ (\w+) \} = await import\('(\.[^']*\/index\.js)'\)/g
const LAZY_MEMBER = /\(await import\('(\.[^']*\/index\.js)'\)\)\.(\w+)/g
const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from '(\.\.?\/[^']+)'$/gm

/** The file in which each name of an index is defined. */
const indexes = new Map()

function definitions(index) {
  let names = indexes.get(index)
  if (names) return names
  names = new Map()
  for (const [, list, file] of readFileSync(index, 'utf8').matchAll(RE_EXPORT))
    for (const name of namesIn(list)) names.set(name.replace(/^type /, ''), file)
  indexes.set(index, names)
  return names
}

function namesIn(list) {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

/** `specifier` leads from the folder `from` to an index; the result to the file in it that defines `name`. */
function direct(from, specifier, name) {
  const file = definitions(join(from, specifier.replace(/\.js$/, '.ts'))).get(name)
  if (!file) throw new Error(`${specifier}, imported in ${from}, does not export ${name}`)
  return specifier.replace(/index\.js$/, file)
}

function rewrite(source, from) {
  return source
    .replace(STATIC, (_, kind, type = '', list, specifier) => {
      const files = new Map()
      for (const name of namesIn(list)) {
        const [, original] = /^(?:type )?(\w+)/.exec(name)
        const file = direct(from, specifier, original)
        files.set(file, [...(files.get(file) ?? []), name])
      }
      return [...files]
        .map(([file, names]) => `${kind}${type} { ${names.join(', ')} } from '${file}'`)
        .join('; ')
    })
    .replace(
      LAZY,
      (_, name, specifier) => `const { ${name} } = await import('${direct(from, specifier, name)}')`,
    )
    .replace(
      LAZY_MEMBER,
      (_, specifier, name) => `(await import('${direct(from, specifier, name)}')).${name}`,
    )
}

export const directImports = {
  name: 'direct-imports',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:src|experiments)\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: rewrite(readFileSync(path, 'utf8'), dirname(path)),
    })),
}
