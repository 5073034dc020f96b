/** Brings flags, variables and file together: a flag wins over a variable, a variable over the file. */
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { ConfigError } from './config-error.js'
import { CRAWL_OPTIONS } from './options.js'
import { type CrawlConfig, crawlSchema } from './schema.js'

export interface ConfigSources {
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly file?: string | undefined
}

export function loadConfig(sources: ConfigSources): CrawlConfig {
  const file = sources.file === undefined ? {} : readConfigFile(sources.file)
  return checkConfig({
    seeds: [],
    ...file,
    ...fromEnvironment(sources.environment),
    ...defined(sources.flags),
  })
}

/** Checks untrusted settings; the first thing wrong becomes the message. */
export function checkConfig(input: unknown): CrawlConfig {
  const result = crawlSchema.safeParse(input)
  if (result.success) return result.data
  throw new ConfigError(messageOf(result.error.issues[0]))
}

/** ORBWEAVER_MAX_PAGES for maxPages. */
export function variableOf(key: string): string {
  return `ORBWEAVER_${flagWord(key).replaceAll('-', '_').toUpperCase()}`
}

function flagWord(key: string): string {
  return key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function fromEnvironment(environment: ConfigSources['environment']): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { key } of CRAWL_OPTIONS) {
    const value = environment[variableOf(key)]
    if (value !== undefined && value !== '') values[key] = value
  }
  return values
}

function readConfigFile(path: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`the config file ${path} cannot be read`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    throw new ConfigError(`the config file ${path} is not valid JSON: ${(error as Error).message}`)
  }
  throw new ConfigError(`the config file ${path} must hold a JSON object`)
}

function messageOf(issue: z.core.$ZodIssue): string {
  const key = String(issue.path[0] ?? '')
  if (issue.code === 'unrecognized_keys')
    return `unknown setting "${issue.keys[0]}"; orbweaver crawl --help lists them`
  if (issue.code === 'invalid_value') return `--${flagWord(key)} must be one of ${issue.values.join(', ')}`
  if (issue.message.startsWith('--') || issue.message.includes('"') || key === 'seeds') return issue.message
  return `--${flagWord(key)}: ${issue.message}`
}

function defined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
