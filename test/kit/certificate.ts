/**
 * X.509 certificates made on the spot: tests need expired ones and ones for other hosts, and no key in the
 * repository.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface Certificate {
  readonly cert: string
  readonly key: string
  readonly keyObject: KeyObject
  readonly name: string
}

export interface CertificateOptions {
  readonly name: string
  /** Names and IPv4 addresses it is for. */
  readonly hosts?: readonly string[]
  readonly validFrom?: Date
  readonly validTo?: Date
  /** Who signs; itself when absent. */
  readonly issuer?: Certificate
  readonly authority?: boolean
}

const OID = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
} as const

let serial = 1

export function makeCertificate(options: CertificateOptions): Certificate {
  const { name, hosts = [], issuer } = options
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const day = 86_400_000
  const validFrom = options.validFrom ?? new Date(Date.now() - day)
  const validTo = options.validTo ?? new Date(Date.now() + 30 * day)
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.from([1, serial++])),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(time(validFrom), time(validTo)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions(hosts, options.authority ?? false))),
  )
  const signature = sign('sha256', body, issuer?.keyObject ?? privateKey)
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])))
  return {
    name,
    keyObject: privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function extensions(hosts: readonly string[], authority: boolean): Buffer[] {
  const list: Buffer[] = []
  if (authority) {
    const critical = der(0x01, Buffer.of(0xff))
    list.push(sequence(oid(OID.basicConstraints), critical, der(0x04, sequence(der(0x01, Buffer.of(0xff))))))
  }
  const names = hosts.map(host =>
    /^[\d.]+$/.test(host)
      ? der(0x87, Buffer.from(host.split('.').map(Number)))
      : der(0x82, Buffer.from(host)),
  )
  if (names.length > 0) list.push(sequence(oid(OID.subjectAltName), der(0x04, sequence(...names))))
  return list
}

function nameOf(text: string): Buffer {
  return sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from(text)))))
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content])
  return length < 0x100
    ? Buffer.concat([Buffer.of(tag, 0x81, length), content])
    : Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content])
}
