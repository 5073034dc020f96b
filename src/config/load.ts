/** Merges flags, variables and file: a flag overrides a variable, a variable overrides the file. */
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.js'
import { type CrawlConfig, FIELDS } from './option-table.js'
import { seedUrl } from './seed-url.js'

export interface ConfigSources {
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly file?: string | undefined
}

export function loadConfig(sources: ConfigSources): CrawlConfig {
  const file = sources.file === undefined ? {} : readConfigFile(sources.file)
  return checkConfig({ ...file, ...fromEnvironment(sources.environment), ...defined(sources.flags) })
}

/** Checks untrusted settings. Throws a ConfigError about the first invalid one. */
export function checkConfig(input: Readonly<Record<string, unknown>>): CrawlConfig {
  const unknown = Object.keys(input).find(key => key !== 'seeds' && !Object.hasOwn(FIELDS, key))
  if (unknown !== undefined)
    throw new ConfigError(`unknown setting "${unknown}"; orbweaver crawl --help-all lists them`)
  const config: Record<string, unknown> = { seeds: readSeeds(input.seeds) }
  for (const key of Object.keys(FIELDS) as (keyof typeof FIELDS)[]) {
    const value = readSetting(key, input[key])
    if (value !== undefined) config[key] = value
  }
  return config as CrawlConfig
}

/** Throws a ConfigError that names the flag. */
export function readSetting<K extends keyof typeof FIELDS>(key: K, value: unknown): CrawlConfig[K] {
  return checked(() => FIELDS[key].read(value, `--${flagWord(key)}`) as CrawlConfig[K])
}

/** Turns the TypeError of a reader into a ConfigError. */
export function checked<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? new ConfigError(error.message) : error
  }
}

/** The variable of a setting: ORBWEAVER_MAX_PAGES for maxPages. */
export function variableOf(key: string): string {
  return `ORBWEAVER_${flagWord(key).replaceAll('-', '_').toUpperCase()}`
}

function readSeeds(value: unknown): string[] {
  const typed = typeof value === 'string' ? value.split(',').filter(Boolean) : (value ?? [])
  if (!Array.isArray(typed) || typed.length === 0)
    throw new ConfigError('give at least one URL to start from')
  return typed.map(entry => {
    const text = typeof entry === 'string' ? entry : JSON.stringify(entry)
    const url = seedUrl(text)
    if (url !== null) return url
    // Credentials must not appear on a screen or in a log.
    const shown = text.replace(/\/\/[^/@]*@/, '//')
    throw new ConfigError(`"${shown}" is not an http or https URL; write it like https://example.org/`)
  })
}

function flagWord(key: string): string {
  return key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function fromEnvironment(environment: ConfigSources['environment']): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const key of Object.keys(FIELDS)) {
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

function defined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
