/** Fields of the `warcinfo` record that opens each file. Nothing in it names the machine. */

export interface WarcInfo {
  /** `orbweaver/0.1.0` */
  readonly software: string
  /** `strict`, `rfc9309` or `ignore`. */
  readonly robots: string
  readonly userAgent: string
  /** Fields that the user adds: operator, description, isPartOf, … */
  readonly extra?: Readonly<Record<string, string>>
}

/** The standard values of `robots` are `classic` and `ignore`; the exact mode is in `robots-mode`. */
export function warcInfo(info: WarcInfo): Record<string, string> {
  return {
    software: info.software,
    format: 'WARC File Format 1.1',
    conformsTo: 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    robots: info.robots === 'ignore' ? 'ignore' : 'classic',
    'robots-mode': info.robots,
    'http-header-user-agent': info.userAgent,
    ...info.extra,
  }
}
