/** The system's hosts file, read once on first use; name servers do not know its names. */

import { open } from 'node:fs/promises'
import { isIP } from 'node:net'
import { HOSTS_FILE_READ_BYTES } from '../../limits.js'

export class HostsFile {
  readonly #path: string
  #names: Promise<ReadonlyMap<string, readonly string[]>> | null = null

  constructor(path = systemHostsPath()) {
    this.#path = path
  }

  /** The addresses of `name`. `localhost` is always known (RFC 6761). */
  async find(name: string): Promise<readonly string[] | undefined> {
    this.#names ??= read(this.#path)
    const names = await this.#names
    return names.get(name) ?? (name === 'localhost' ? ['127.0.0.1', '::1'] : undefined)
  }
}

function systemHostsPath(): string {
  if (process.platform !== 'win32') return '/etc/hosts'
  return `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
}

/** A missing or unreadable file has no names. */
async function read(path: string): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(HOSTS_FILE_READ_BYTES),
        0,
        HOSTS_FILE_READ_BYTES,
        0,
      )
      return parse(buffer.toString('utf8', 0, bytesRead))
    } finally {
      await file.close()
    }
  } catch {
    return new Map()
  }
}

function parse(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const comment = line.indexOf('#')
    const [address, ...aliases] = (comment < 0 ? line : line.slice(0, comment)).trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      const known = names.get(name)
      if (known === undefined) names.set(name, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return names
}
