/**
 * Rules of the house that no linter knows, checked in every test run: width of comments and docs, banned
 * words of docs/glossary.md, names of files that do not exist, small files that belong into their only
 * importer, tunable numbers outside the limits files, reads of the environment.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'

const WIDTH = 110
const SMALL_LINES = 30
const SOURCE = /^(?:src|experiments|test|bench|scripts|assembly|docs\/examples)\/.*\.(?:ts|js)$/

export function filesOf(root) {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(file => file !== '' && existsSync(join(root, file)))
}

/**
 * Comment lines of sources and lines of docs that are too wide; tables, links and code blocks of docs may be.
 */
export function wideLines(file, text) {
  const isDoc = file.endsWith('.md')
  if ((!isDoc && !SOURCE.test(file)) || file === 'bench/results.md') return []
  let isCode = false
  return text.split('\n').flatMap((line, i) => {
    if (isDoc && line.startsWith('```')) isCode = !isCode
    const counts = isDoc
      ? !isCode && !/^\s*\||\]\(|^\s*<|https?:/.test(line)
      : /^\s*(?:\*|\/\/|\/\*)/.test(line)
    return counts && line.length > WIDTH
      ? [`${file}:${i + 1}: ${line.length} columns, the limit is ${WIDTH}`]
      : []
  })
}

/** The first column of the table under "Words we do not use". */
export function bannedWords(glossary) {
  const table = glossary.slice(glossary.indexOf('## Words we do not use'))
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, word]) => word)
}

/** Uses of banned words: as a word, or as a part of a camelCase or kebab-case name. */
export function bannedIn(file, text, words) {
  if (!(SOURCE.test(file) || file.endsWith('.md')) || file === 'docs/glossary.md') return []
  const parts = words.map(word =>
    /\s/.test(word) ? word : [...word.matchAll(/[A-Z]?[a-z]+/g)].join('[-_]?'),
  )
  const banned = new RegExp(`(?<![A-Za-z])(?:${parts.join('|')})(?![a-z])`, 'gi')
  // A part of a camelCase name begins with a capital letter.
  const apart = text.replace(/([a-z0-9])(?=[A-Z])/g, '$1_')
  return apart.split('\n').flatMap((line, i) => {
    const found = line.match(banned)
    return found ? [`${file}:${i + 1}: ${found.join(', ')} (docs/glossary.md)`] : []
  })
}

const NAMED_FILE =
  /`((?:\.\.?\/)*(?:[\w@.-]+\/)*[\w.-]+\.(?:ts|js|md|svg|grit))(?:#[\w-]+)?`|\]\(([^)#\s:]+)(?:#[\w-]+)?\)/g

/** Files that a comment or a page names and that are nowhere in the repository. */
export function missingFiles(file, text, files, isGenerated) {
  if (!(SOURCE.test(file) || file.endsWith('.md')) || file === 'CHANGELOG.md') return []
  const prose = file.endsWith('.md') ? text : comments(text)
  return [...prose.matchAll(NAMED_FILE)].flatMap(([, named, linked]) => {
    const name = named ?? linked
    return isThere(file, name, files) || isGenerated(name)
      ? []
      : [`${file}: names ${name}, which does not exist`]
  })
}

function comments(text) {
  return (text.match(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? []).join('\n')
}

function isThere(from, name, files) {
  const places = [name, `src/${name}`, posix.join(posix.dirname(from), name), `test/${name}`]
  if (places.some(place => files.includes(place) || files.some(file => file.startsWith(`${place}/`))))
    return true
  return !name.includes('/') && files.some(file => basename(file) === name)
}

const IMPORT = /(?:from|import\() ?'(\.[^']+)'/g

/** Source files of a few lines that only one other file imports. */
export function smallFiles(root, files) {
  const sources = files.filter(file => /^src\/.*\.ts$/.test(file) && !/\.(?:test|d)\.ts$/.test(file))
  const importers = new Map()
  for (const file of sources)
    for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const target = posix.join(posix.dirname(file), path).replace(/\.js$/, '.ts')
      importers.set(target, (importers.get(target) ?? new Set()).add(file))
    }
  return sources.filter(file => {
    if (basename(file) === 'index.ts' || importers.get(file)?.size !== 1) return false
    if (basename([...importers.get(file)][0]) === 'index.ts') return false
    return readFileSync(join(root, file), 'utf8').split('\n').length <= SMALL_LINES
  })
}

const TUNABLE =
  /^(?:export )?const ([A-Z][A-Z0-9_]*_(?:MS|BYTES|ROWS|PAGES|CHARS|SITES|URLS|LINKS|DAYS|FRAMES|ENTRIES)(?:_MAX|_MIN)?)(?:: \w+)? = [\d_ *./+-]+$/

/**
 * Numbers with a unit that stand outside a `limits.ts`. Each floor of src/ has one such file, so that whoever
 * tunes finds them together. `layoutWords` begin the names of sizes that a format or an algorithm fixes.
 */
export function strayLimits(file, text, layoutWords) {
  if (!/^src\/.*\.ts$/.test(file) || /\.test\.ts$/.test(file) || basename(file) === 'limits.ts') return []
  return text.split('\n').flatMap((line, i) => {
    const name = line.match(TUNABLE)?.[1]
    const isLayout = name !== undefined && layoutWords.some(word => new RegExp(`(?:^|_)${word}_`).test(name))
    return name === undefined || isLayout ? [] : [`${file}:${i + 1}: ${name} belongs into a limits.ts`]
  })
}

/** Places that read the environment: variables for tests must not be among them. */
export function environmentReads(file, text) {
  if (!/^src\/.*\.ts$/.test(file) || /\.test\.ts$/.test(file)) return []
  return [...text.matchAll(/\bprocess\.env\b(?:\.(\w+))?/g)].map(
    ([, name]) => `${file}: ${name ?? 'all of it'}`,
  )
}
