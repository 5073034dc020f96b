import type { Damage } from './damage.js'

export interface VerifyOptions {
  readonly signal?: AbortSignal
}

/** Yields every damage found in a crawl directory; a directory without any is sound. */
export async function* verifyDirectory(
  _directory: string,
  _options: VerifyOptions = {},
): AsyncIterable<Damage> {}
