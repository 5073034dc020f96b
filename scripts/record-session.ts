/**
 * Records the terminal session that README.md shows: serves a generated web on loopback, runs the commands
 * below for real, and draws what they print as docs/session.svg. `npm run build && npx tsx
 * scripts/record-session.ts`
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../bin/orbweaver.js', import.meta.url))
const OUT = new URL('../docs/session.svg', import.meta.url)
const PORT = '8080'
const WEB = [
  'web',
  '--port',
  PORT,
  '--sites',
  '60',
  '--pages',
  '12000',
  '--largest',
  '0.03',
  '--latency',
  '15',
]
const COLUMNS = 112
const LINES_PER_COMMAND = 9

/** Command lines as the picture shows them, and their arguments. */
const COMMANDS: readonly (readonly [shown: string, args: readonly string[]])[] = [
  [
    `orbweaver crawl http://s00.test:${PORT}/ --scope any --resolve '*.test=127.0.0.1' --delay 0 --agents 2 --out web`,
    [
      ...['crawl', `http://s00.test:${PORT}/`, '--scope', 'any', '--resolve', '*.test=127.0.0.1'],
      ...['--delay', '0', '--agents', '2', '--out', 'web'],
    ],
  ],
  query('SELECT outcome, count(*) AS urls FROM pages GROUP BY ALL ORDER BY urls DESC'),
  query('SELECT url, title, outlinks FROM pages WHERE depth = 1 ORDER BY outlinks DESC LIMIT 4'),
]

function query(sql: string): [string, string[]] {
  return [`orbweaver query web "${sql}"`, ['query', 'web', sql]]
}

async function record(folder: string): Promise<string[]> {
  const lines: string[] = []
  for (const [shown, args] of COMMANDS) {
    lines.push(`$ ${shown}`, ...shorten(await run(args, folder)), '')
  }
  return lines
}

function run(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ORBWEAVER_CONTACT: 'https://example.org/about-our-crawl' }
    execFile(process.execPath, [BIN, ...args], { cwd, env }, (error, stdout, stderr) =>
      error ? reject(error) : resolve(stderr + stdout),
    )
  })
}

/** What does not fit is left out, and an ellipsis says so. */
function shorten(output: string): string[] {
  const lines = output.trimEnd().split('\n')
  const kept = lines.length > LINES_PER_COMMAND ? [...lines.slice(0, LINES_PER_COMMAND - 1), '…'] : lines
  return kept.map(line => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line))
}

function draw(lines: readonly string[]): string {
  const [charWidth, lineHeight, margin, bar] = [7.85, 19, 18, 34]
  const width = Math.ceil(COLUMNS * charWidth + 2 * margin)
  const height = bar + lines.length * lineHeight + margin
  const text = lines.map((line, i) => {
    const fill = line.startsWith('$ ') ? '#7ee787' : /^(Done|\[#)/.test(line) ? '#f0f6fc' : '#b1bac4'
    const y = bar + (i + 1) * lineHeight
    return `  <text x="${margin}" y="${y}" fill="${fill}" xml:space="preserve">${escapeXml(line)}</text>`
  })
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `  <circle cx="${margin + 4 + 20 * i}" cy="17" r="6" fill="${fill}"/>`,
  )
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="13">',
    '  <title>A crawl of a generated web, and two queries</title>',
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...dots,
    ...text,
    '</svg>',
  ].join('\n')}\n`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-session-'))
const web = spawn(process.execPath, [BIN, ...WEB], { stdio: ['ignore', 'pipe', 'pipe'] })
try {
  await Promise.race([once(web.stdout, 'data'), once(web.stderr, 'data')])
  writeFileSync(OUT, draw((await record(folder)).slice(0, -1)))
} finally {
  web.kill()
  rmSync(folder, { recursive: true })
}
