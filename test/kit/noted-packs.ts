/** What `ORBWEAVER_FAULTS=acks=FILE` has noted: packs, and the pages that their journals settle. */
import { readFileSync } from 'node:fs'
import { fingerprint, takeFingerprint } from '../../src/model/bytes/index.js'
import type { OutcomeCode } from '../../src/model/index.js'
import { readJournal } from '../../src/page/frontier/index.js'
import type { RecordedPack } from './faults/recording-ledger.js'

/** Packs as often as they were acknowledged. */
export function notedPacks(path: string): RecordedPack[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  // A process that was killed may have left half a line.
  return lines.slice(0, -1).map(line => JSON.parse(line) as RecordedPack)
}

/** Journals know URLs by their fingerprints only: these are the URLs there can be. */
export class UrlBook {
  readonly #urls = new Map<string, string>()

  constructor(urls: Iterable<string>) {
    for (const url of urls) {
      takeFingerprint(url)
      this.#urls.set(`${fingerprint.low} ${fingerprint.high}`, url)
    }
  }

  /** What a journal settles; URLs that are not in the book by their fingerprint. */
  settledIn(journal: Uint8Array): { readonly url: string; readonly outcome: OutcomeCode }[] {
    const rows: { url: string; outcome: OutcomeCode }[] = []
    readJournal(journal, {
      settled: (low, high, outcome) => {
        const key = `${low} ${high}`
        rows.push({ url: this.#urls.get(key) ?? key, outcome })
      },
    })
    return rows
  }
}
