/**
 * The plan of `src/` and its checks: a folder imports only from folders earlier in the plan, and only through
 * their `index.ts`; no folder is part of a cycle, and no file, types apart. `node scripts/architecture.js`
 * prints what breaks the plan; with `--draw` it also writes docs/architecture.svg.
 *
 * Own code because dependency-cruiser (18.7) needs Node 22 and a TypeScript below 7, and biome's rules know
 * no order.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Rooms in the order of imports. A name in a later line may import from all earlier lines and names. */
const PLAN = [
  'model/bytes model/url model',
  'config files',
  'ledger ledger/rules ledger/sql ledger/memory ledger/sqlite/pages ledger/sqlite ledger/postgres',
  'ledger/remote',
  'bus',
  'page/fetch/dns page/fetch/body page/fetch/http page/fetch/connect page/fetch',
  'page/parse/charset page/parse/tags page/parse/memory page/parse/links page/parse/text page/parse/tree page/parse',
  'page/source/warc page/source/local page/source/directory page/source/archive page/source',
  'page/sandbox page/guest/html page/guest/realm page/guest',
  'page/robots/sitemaps page/robots page/politeness/phases page/politeness',
  'page/frontier/spill page/frontier/seen page/frontier/queue page/frontier/buckets page/frontier/scope',
  'page/frontier/traps page/frontier',
  'data/store/bytes data/store/compress/deflate data/store/compress data/store/warc data/store/tables',
  'data/store/tables/parquet data/store data/query data/export',
  'plan/partition/state plan/partition/coarsen plan/partition/initial plan/partition/refine plan/partition',
  'plan/partition/io plan/partition/check',
  'plan/assign plan/assign/simple plan/assign/learned plan/assign/phases plan/learn',
  'cluster/transfer cluster/agent/site cluster/agent/pack cluster/agent/lane cluster/agent/cells',
  'cluster/agent/heartbeat cluster/agent cluster/coordinator',
  'migrate/bundle migrate/tour migrate/carrier migrate/host migrate/envoy',
  'report runtime/directory runtime/platform runtime/machine runtime/settings runtime/routing',
  'runtime/threads runtime/recovery runtime/access runtime/agents runtime/session',
  'compose verify .',
  'simulate/web simulate/snapshot simulate/machines simulate/ports simulate/check simulate/faults simulate/fleet simulate',
  'cli/output cli/exit cli/options cli/web cli/guest cli',
].flatMap(line => line.split(' '))

const IMPORT =
  /^(?:import|export)( type)?\b[^'"`;]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/**
 * Every import of one source file by another: paths relative to `src`, with `/`; `isLoaded`: when the file
 * is.
 */
export function importsOf(src) {
  const found = []
  for (const file of sources(src))
    for (const [, type, from, bare, lazy] of readFileSync(join(src, file), 'utf8').matchAll(IMPORT)) {
      const target = posix.join(posix.dirname(file), from ?? bare ?? lazy).replace(/\.js$/, '.ts')
      if (!isOwnLimits(file, target)) found.push({ file, target, isLoaded: !type && !lazy })
    }
  return found
}

/** The numbers of a floor stand beside its rooms, in a file without imports. */
function isOwnLimits(file, target) {
  return basename(target) === 'limits.ts' && file.startsWith(`${posix.dirname(target)}/`)
}

function sources(src) {
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'))
    .map(({ parentPath, name }) => relative(src, join(parentPath, name)).replaceAll('\\', '/'))
    .sort()
}

/** What breaks the plan, a line each. */
export function violationsIn(src) {
  const imports = importsOf(src)
  const unplanned = new Set(
    sources(src)
      .filter(file => basename(file) !== 'limits.ts')
      .map(posix.dirname)
      .filter(room => !PLAN.includes(room)),
  )
  return [
    ...[...unplanned].map(room => `${room}: is not in the plan of scripts/architecture.js`),
    ...imports.flatMap(each => violation(each) ?? []),
    ...cycleIn(imports.filter(({ isLoaded }) => isLoaded).map(({ file, target }) => [file, target])),
    ...cycleIn(imports.map(({ file, target }) => [posix.dirname(file), posix.dirname(target)])),
  ]
}

function violation({ file, target }) {
  const [from, to] = [posix.dirname(file), posix.dirname(target)]
  if (from === to) return null
  if (to.startsWith('..')) return `${file}: imports ${target}, which is outside of src/`
  if (PLAN.indexOf(to) > PLAN.indexOf(from)) return `${file}: imports ${target}, a later floor of the plan`
  return basename(target) === 'index.ts' ? null : `${file}: imports ${target} past its index.ts`
}

/** One cycle among these edges, if there is any. */
function cycleIn(edges) {
  const targets = new Map()
  for (const [from, to] of edges) if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to))
  const done = new Set()
  const path = []
  const visit = node => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return null
    path.push(node)
    for (const next of targets.get(node) ?? []) {
      const cycle = visit(next)
      if (cycle) return cycle
    }
    path.pop()
    done.add(node)
    return null
  }
  for (const node of targets.keys()) {
    const cycle = visit(node)
    if (cycle) return [`cycle: ${cycle.join(' -> ')}`]
  }
  return []
}

const FLOOR_COLOURS = {
  model: '#6b7280',
  config: '#6b7280',
  files: '#6b7280',
  ledger: '#b45309',
  bus: '#b45309',
  page: '#15803d',
  data: '#0369a1',
  plan: '#7c3aed',
  cluster: '#be123c',
  migrate: '#be185d',
  runtime: '#0f766e',
}
const [ROW, LEFT, TOP] = [24, 190, 30]

/** An arc diagram: rooms in the order of the plan, an arc on the right for each import of an earlier room. */
export function drawing(src) {
  const rooms = [...new Set(PLAN.filter(room => room !== '.').map(shownRoom))]
  const weights = new Map()
  for (const { file, target } of importsOf(src)) {
    const [from, to] = [file, target].map(path => shownRoom(posix.dirname(path)))
    if (from === to || from === '.' || to === '.') continue
    weights.set(`${from} ${to}`, (weights.get(`${from} ${to}`) ?? 0) + 1)
  }
  const y = room => TOP + rooms.indexOf(room) * ROW
  const arcs = [...weights].map(([edge, count]) => arc(edge.split(' '), count, y))
  const labels = rooms.map(
    room =>
      `<text x="${LEFT - 12}" y="${y(room) + 4}" text-anchor="end" fill="${colourOf(room)}">${room}/</text>` +
      `<circle cx="${LEFT}" cy="${y(room)}" r="4" fill="${colourOf(room)}"/>`,
  )
  const [width, height] = [LEFT + (rooms.length * ROW) / 2 + 40, TOP + rooms.length * ROW]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    '<title>Imports between the rooms of src/: each arc leads up, from a room to an earlier one</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...arcs,
    ...labels,
    '</svg>',
    '',
  ].join('\n')
}

/** Floors with rooms are shown by room, the others whole. */
function shownRoom(room) {
  const [floor, first] = room.split('/')
  return ['page', 'data', 'plan', 'cluster', 'runtime'].includes(floor) ? `${floor}/${first}` : floor
}

function colourOf(room) {
  return FLOOR_COLOURS[room.split('/')[0]] ?? '#111827'
}

/** An import of a later room would be drawn on the left, in red. */
function arc([from, to], count, y) {
  const [start, end] = [y(from), y(to)]
  const radius = Math.abs(start - end) / 2
  const isUpward = end < start
  const stroke = isUpward ? colourOf(from) : '#ff0000'
  // Few widths, so that the picture seldom changes.
  const width = count < 4 ? 1 : count < 16 ? 2 : 3
  return (
    `<path d="M ${LEFT} ${start} A ${radius} ${radius} 0 0 ${isUpward ? 0 : 1} ${LEFT} ${end}" fill="none" ` +
    `stroke="${stroke}" stroke-width="${width}" stroke-opacity="0.45"/>`
  )
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = resolve(dirname(process.argv[1]), '..')
  const violations = violationsIn(join(root, 'src'))
  for (const line of violations) process.stderr.write(`${line}\n`)
  if (process.argv.includes('--draw'))
    writeFileSync(join(root, 'docs/architecture.svg'), drawing(join(root, 'src')))
  process.exitCode = violations.length > 0 ? 1 : 0
}
