const HAS_CHECKSUM = 2
const HAS_EXTRA = 4
const HAS_NAME = 8
const HAS_COMMENT = 16

/** The length of the head of a gzip member (RFC 1952); -1 if it does not end within `bytes`. */
export function gzipHeadBytes(bytes: Buffer): number {
  if (bytes.length < 10) return -1
  const flags = bytes[3]
  let at = 10
  if (flags & HAS_EXTRA) {
    if (bytes.length < at + 2) return -1
    at += 2 + bytes.readUInt16LE(at)
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & flag)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return -1
    at = end + 1
  }
  if (flags & HAS_CHECKSUM) at += 2
  return at < bytes.length ? at : -1
}
