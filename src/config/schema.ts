/**
 * What a crawl can be asked for. One schema stands behind command line flags, config file, ORBWEAVER_* variables and
 * the library's options; text is accepted wherever a number or a list is meant, because flags and variables are text.
 */
import { z } from 'zod'
import { normaliseUrl } from '../model/url.js'

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 1024,
  mi: 1024 ** 2,
  gi: 1024 ** 3,
}

const count = (what: string, min = 1, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce
    .number({ error: `${what} must be a number` })
    .int(`${what} must be a whole number`)
    .min(min, `${what} must be at least ${min}`)
    .max(max, `${what} must be at most ${max}`)

const amount = (what: string) =>
  z.coerce.number({ error: `${what} must be a number` }).positive(`${what} must be more than 0`)

/** Bytes, also as `500k`, `20M`, `1Gi`. */
const bytes = (what: string) =>
  z.preprocess(value => {
    const match = /^\s*([\d.]+)\s*([kmg]i?)?b?\s*$/i.exec(String(value))
    return match ? Number(match[1]) * SIZE_UNITS[(match[2] ?? '').toLowerCase()] : value
  }, z.number({ error: `${what} must be a size such as 500k, 20M or 1Gi` }).positive())

const list = <T extends z.ZodType>(item: T) =>
  z.preprocess(value => (typeof value === 'string' ? value.split(',').filter(Boolean) : value), z.array(item))

const flag = z.preprocess(
  value => (value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value),
  z.boolean(),
)

const pattern = z
  .string()
  .refine(isPattern, { error: issue => `"${issue.input}" is not a regular expression` })

/** A bare host is meant as https://host/. */
export function seedUrl(text: string): string | null {
  const trimmed = text.trim()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return normaliseUrl(trimmed)
  if (/^(localhost|[\w-]+(\.[\w-]+)*\.\w+|\[[\da-f:.]+\]|[\d.]+)(:\d+)?([/?#].*)?$/i.test(trimmed)) {
    const local = /^(localhost|127\.|\[)/i.test(trimmed)
    return normaliseUrl(`${local ? 'http' : 'https'}://${trimmed}`)
  }
  return null
}

const seed = z.string().transform((text, context) => {
  const url = seedUrl(text)
  if (url === null)
    context.addIssue(`"${text}" is not an http or https URL; write it like https://example.org/`)
  return url ?? ''
})

export const crawlSchema = z.strictObject({
  seeds: list(seed).pipe(z.array(z.string()).min(1, 'give at least one URL to start from')),
  out: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  scope: z.enum(['page', 'prefix', 'host', 'domain', 'any']).default('host'),
  include: list(pattern).default([]),
  exclude: list(pattern).default([]),
  maxPages: count('--max-pages').optional(),
  maxDepth: count('--max-depth', 0).optional(),
  maxWait: amount('--max-wait').default(600),
  previous: z.string().min(1).optional(),
  lanes: count('--lanes', 1, 100_000).default(1_000),
  connections: count('--connections', 1, 10_000).default(1_000),
  connectionsPerSite: count('--connections-per-site', 1, 1_000).default(1),
  delay: z
    .union([z.literal('auto'), z.coerce.number().min(0)], { error: '--delay must be milliseconds or "auto"' })
    .default('auto'),
  rate: amount('--rate').optional(),
  bandwidth: bytes('--bandwidth').optional(),
  robots: z.enum(['rfc9309', 'ignore']).default('rfc9309'),
  userAgent: z.string().min(1).optional(),
  contact: z.string().min(1).optional(),
  hooks: z.string().min(1).optional(),
  archive: z
    .string()
    .regex(/^(gzip(:[1-9])?|zstd|none)$/, '--archive must be gzip, gzip:LEVEL (1-9), zstd or none')
    .default('gzip'),
  tables: z.enum(['parquet', 'none']).default('parquet'),
  links: z.enum(['foreign', 'all']).default('foreign'),
  types: list(z.string().toLowerCase()).default([]),
  assets: flag.default(false),
  group: z.enum(['domain', 'ip', 'none']).default('domain'),
  allowPrivate: flag.default(false),
  resolve: list(z.string().regex(/^[^=]+=[^=]+$/, '--resolve must be HOST=ADDR or HOST=ADDR:PORT')).default(
    [],
  ),
  dns: z.string().min(1).optional(),
  minFreeDisk: bytes('--min-free-disk').default(512 * 1024 * 1024),
})

/** Everything a crawl is asked for, checked and with defaults filled in. */
export type CrawlConfig = z.output<typeof crawlSchema>
export type CrawlConfigInput = z.input<typeof crawlSchema>

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}
