/** Writes gzipped lines member by member, so that memory does not grow with the file. */

import { crc32, gzipSync } from 'node:zlib'
import { DurableFile } from '../../files/index.js'
import { MEMBER_CHARS } from '../limits.js'

const LEVEL = 1

/** Replaces the file at `path`. Without lines it writes no file and returns null. */
export async function writeLines(
  path: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<{ readonly bytes: number; readonly crc32: number } | null> {
  const file = new LineFile(path)
  try {
    for await (const line of lines) file.add(line)
    return file.end()
  } catch (error) {
    file.drop()
    throw error
  }
}

class LineFile {
  readonly #file: DurableFile
  #lines: string[] = []
  #chars = 0
  #bytes = 0
  #crc32 = 0

  constructor(path: string) {
    this.#file = new DurableFile(path)
  }

  add(line: string): void {
    this.#lines.push(line, '\n')
    this.#chars += line.length + 1
    if (this.#chars >= MEMBER_CHARS) this.#flush()
  }

  end(): { readonly bytes: number; readonly crc32: number } | null {
    if (this.#chars > 0) this.#flush()
    if (this.#bytes === 0) {
      this.drop()
      return null
    }
    this.#file.keep()
    return { bytes: this.#bytes, crc32: this.#crc32 }
  }

  drop(): void {
    this.#file.drop()
  }

  #flush(): void {
    const member = gzipSync(this.#lines.join(''), { level: LEVEL })
    this.#lines = []
    this.#chars = 0
    this.#file.write(member)
    this.#bytes += member.length
    this.#crc32 = crc32(member, this.#crc32)
  }
}
