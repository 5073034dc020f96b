/** Ed25519 keys of homes and hosts. A public key is written as `ed25519:` and 43 characters of base64url. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

export interface KeyPair {
  readonly privateKey: KeyObject
  /** The public key as text. */
  readonly publicKey: string
}

const PUBLIC_KEY = /^ed25519:([A-Za-z0-9_-]{43})$/

/** A new pair, and the private key in PEM. */
export function newKeyPair(): KeyPair & { readonly pem: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { privateKey, publicKey: publicKeyOf(privateKey), pem }
}

/** Null if the text is not the PEM of an Ed25519 key. */
export function readPrivateKey(pem: string): KeyPair | null {
  try {
    const privateKey = createPrivateKey(pem)
    if (privateKey.asymmetricKeyType !== 'ed25519') return null
    return { privateKey, publicKey: publicKeyOf(privateKey) }
  } catch {
    return null
  }
}

export function isPublicKey(value: unknown): value is string {
  return typeof value === 'string' && keyOf(value) !== null
}

export function signText(text: string, privateKey: KeyObject): string {
  return sign(null, Buffer.from(text), privateKey).toString('base64url')
}

export function verifyText(text: string, signature: string, publicKey: string): boolean {
  return verifyBytes(Buffer.from(text), Buffer.from(signature, 'base64url'), publicKey)
}

/** False as well if `publicKey` is not a key. */
export function verifyBytes(bytes: Uint8Array, signature: Uint8Array, publicKey: string): boolean {
  const key = keyOf(publicKey)
  return key !== null && verify(null, bytes, key, signature)
}

function publicKeyOf(privateKey: KeyObject): string {
  return `ed25519:${createPublicKey(privateKey).export({ format: 'jwk' }).x}`
}

function keyOf(text: string): KeyObject | null {
  const x = PUBLIC_KEY.exec(text)?.[1]
  // The last character has unused bits, which must be zero: one key has one spelling.
  if (x === undefined || Buffer.from(x, 'base64url').toString('base64url') !== x) return null
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    return null
  }
}
