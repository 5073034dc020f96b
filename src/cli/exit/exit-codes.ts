/** Exit codes of the process. Scripts depend on these numbers: add new ones, never change existing ones. */
export const EXIT_MEANINGS = {
  done: [0, 'The command did what it was asked for.'],
  internal: [1, 'A bug in Orbweaver.'],
  disallowed: [1, '`robots`: robots.txt forbids the URL.'],
  disk: [3, 'The disk is full or fails. Nothing that was acknowledged is lost.'],
  config: [4, 'Bad flag, setting, URL, query or directory.'],
  noPage: [5, 'The crawl ended, but no page could be fetched.'],
  busy: [6, 'Another process uses the crawl directory.'],
  ledger: [7, 'The ledger cannot be written, does not answer, refuses the login, or has a newer version.'],
  damaged: [8, 'A file of the crawl or its ledger is damaged; `verify` lists the damage, `repair` fixes it.'],
  untrusted: [9, 'The directory is not trusted yet (`--trust`), or does not belong to its ledger.'],
  limit: [10, 'The crawl reached `--max-pages`; URLs are still queued.'],
  interrupted: [11, 'Ended by a signal, by `stop`, or by `--timeout` of a query or export.'],
  parked: [12, 'The crawl ended, but some sites are parked: they asked to wait longer than `--max-wait`.'],
  missed: [13, '`experiment`: it ran to its end and missed a target.'],
  lost: [14, '`repair`: the crawl is sound again, but something was lost.'],
} as const satisfies Readonly<Record<string, readonly [code: number, meaning: string]>>

type ExitName = keyof typeof EXIT_MEANINGS

export const EXIT = Object.fromEntries(
  Object.entries(EXIT_MEANINGS).map(([name, [code]]) => [name, code]),
) as { readonly [Name in ExitName]: (typeof EXIT_MEANINGS)[Name][0] }
