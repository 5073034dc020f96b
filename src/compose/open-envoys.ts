/** The envoys of an agent: the hosts that the user has named, and the key of this home. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentInput } from '../cluster/agent/index.js'
import { ConfigError, type CrawlConfig, readRuntime, stateFolder } from '../config/index.js'
import { type KeyPair, newKeyPair, readPrivateKey } from '../migrate/bundle/index.js'
import { HttpCarrier } from '../migrate/carrier/index.js'
import { SiteEnvoys, type SiteEnvoysParts } from '../migrate/envoy/index.js'
import { isWantedType } from '../page/fetch/http/index.js'

type Ports = Pick<SiteEnvoysParts, 'clock' | 'random' | 'ledger' | 'log'>

/** Null if no site has a host. */
export function openEnvoys(config: CrawlConfig, ports: Ports): NonNullable<AgentInput['newEnvoys']> | null {
  if (config.runtime.length === 0) return null
  if (config.previous !== undefined) throw new ConfigError('--runtime does not go with --previous')
  const keys = homeKeys(config.homeKey)
  const places = new Map(
    config.runtime.map(text => {
      const { origin, runtime, key } = readRuntime(text)!
      return [origin, { carrier: new HttpCarrier(ports.clock, runtime, keys.privateKey), host: key }]
    }),
  )
  const { types, maxBody, maxDepth = Number.POSITIVE_INFINITY } = config
  return agent =>
    new SiteEnvoys({
      ...ports,
      keys,
      agent,
      carrierOf: origin => places.get(origin) ?? null,
      isWanted: exchange => types.length === 0 || isWantedType(exchange.header('content-type') ?? '', types),
      bodyBytes: maxBody,
      maxDepth,
    })
}

/** The key of this user. Without a path it is created when it is needed first. */
export function homeKeys(path?: string): KeyPair {
  const file = path ?? join(stateFolder(), 'home.key')
  if (path === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if (path === undefined && !existsSync(file)) newHomeKeys(file)
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`--home-key: ${(error as Error).message}`)
  }
  const keys = readPrivateKey(pem)
  if (keys === null) throw new ConfigError(`${file} is not an Ed25519 key in PEM`)
  return keys
}

/** Creates the file; if another process did so first, its key counts. */
export function newHomeKeys(file: string): void {
  try {
    writeFileSync(file, newKeyPair().pem, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new ConfigError(`--home-key: ${(error as Error).message}`)
  }
}
