/** The guest of a crawl: by keywords alone, in a sandbox, or in this process. */
import { readFile } from 'node:fs/promises'
import { createRequire, register } from 'node:module'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { packageFile } from '../model/bytes/index.js'
import {
  type Guest,
  type GuestModule,
  guestIn,
  isTypeScript,
  KeywordGuest,
  readGuestCode,
  SandboxedGuest,
  type SelectionSettings,
  TrustedGuest,
} from '../page/guest/index.js'
import { startSandbox } from './start-sandbox.js'
import { systemClock } from './system-clock.js'

type GuestSettings = Pick<CrawlConfig, 'guest' | 'trusted' | 'keywords' | 'minKeywords' | 'keep'>

/**
 * `own` is an object of the caller. Null without a guest; a promise only for a module, so that others need
 * not wait. Throws or rejects with a ConfigError.
 */
export function openGuest(config: GuestSettings, own?: GuestModule): Guest | null | Promise<Guest> {
  const { keywords, minKeywords, keep, guest } = config
  const selection = { keywords, minKeywords, keep }
  if (own !== undefined) return asConfigError('the guest', () => new TrustedGuest(own, selection))
  if (guest !== undefined) return ofModule(guest, config.trusted, selection)
  return keywords.length === 0 && keep === undefined ? null : new KeywordGuest(selection)
}

async function ofModule(path: string, isTrusted: boolean, selection: SelectionSettings): Promise<Guest> {
  try {
    if (isTrusted) return new TrustedGuest(await importGuest(path), selection)
    const [code, wasm] = await Promise.all([readGuestCode(path), readFile(ENGINE)])
    const start = () => startSandbox('guest-child')
    return await SandboxedGuest.open({
      clock: systemClock,
      start,
      wasm,
      code,
      fileName: basename(path),
      selection,
    })
  } catch (error) {
    throw new ConfigError(`--guest ${path}: ${(error as Error).message}`)
  }
}

const ENGINE = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')

let stripsTypes = 'typescript' in process.features && process.features.typescript !== false

async function importGuest(path: string): Promise<GuestModule> {
  if (isTypeScript(path) && !stripsTypes) {
    register(packageFile('dist/compose/strip-types.js'))
    stripsTypes = true
  }
  return guestIn(await import(pathToFileURL(resolve(path)).href))
}

function asConfigError<T>(what: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw new ConfigError(`${what}: ${(error as Error).message}`)
  }
}
