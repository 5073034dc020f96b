/** Every relative link of the documentation leads to a file, and its anchor to a heading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const top = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'bench/results.md'].map(name => join(root, name))
const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md'))
  .map(name => join(root, 'docs', name))

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(match => anchorOf(match[1]!))
}

it.each([...top, ...docs].map(file => [relative(root, file), file]))('%s', (_name, file) => {
  const links = withoutCode(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)
  for (const [, target = ''] of links) {
    if (/^[a-z]+:/.test(target)) continue
    const [path = '', anchor] = target.split('#')
    const found = path === '' ? file : join(dirname(file), path)
    expect(existsSync(found), `${target} does not exist`).toBe(true)
    if (anchor !== undefined) expect(anchorsOf(found), `${target} has no such heading`).toContain(anchor)
  }
})
