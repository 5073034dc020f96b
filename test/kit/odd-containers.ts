/** Containers that no honest program writes, with a signature that is right. */
import { type KeyObject, sign } from 'node:crypto'

/** `header` is written as it is; `sections` are bytes that are compressed already. */
export function forgedContainer(
  magic: string,
  header: unknown,
  sections: readonly Uint8Array[],
  privateKey: KeyObject,
): Buffer {
  const text = Buffer.from(JSON.stringify(header))
  const head = Buffer.alloc(magic.length + 4)
  head.write(magic, 'latin1')
  head.writeUInt32LE(text.length, magic.length)
  const signed = Buffer.concat([head, text])
  return Buffer.concat([signed, sign(null, signed, privateKey), ...sections])
}
