/**
 * Every bound of the crawler in one place, each with its reason. None can be exceeded by what the web sends
 * (P11); `docs/explanation/security.md` says which of them a user can tighten. `--max-pages`, `--max-depth`
 * and the budget of a site are the user's to set and stand in `config/`; rules against traps stand in
 * `frontier/`.
 */
export const LIMITS = {
  /** Real headers stay under 16 KiB; servers themselves refuse more. */
  headerBytes: 64 * 1024,
  /** Pages have a dozen or two, and each costs a look for every header that is asked for. */
  headerCount: 256,
  /** 100 Continue, 103 Early Hints: a server sends one or two before the real head. */
  interimResponses: 8,
  /** Empty lines before an answer, left over from the one before it: one, as a rule. */
  blankBytes: 16,
  /** Size and extensions of one chunk; real ones have no extensions at all. */
  chunkLineBytes: 4_096,
  /**
   * Body as received, and again after each decoding, counted chunk by chunk, so that a bomb stops early. What
   * is longer is cut and marked `WARC-Truncated: length`. Hardly a page is longer (`--max-body`).
   */
  bodyBytes: 32 * 1024 * 1024,
  /** All bodies in flight together; past it the newest wait, the oldest goes on. */
  bodyBytesInFlight: 192 * 1024 * 1024,
  /** gzip inside br inside ...: nobody honest stacks more, and each layer multiplies a bomb by a thousand. */
  stackedEncodings: 2,
  /** TCP and TLS together, all addresses of the host: a lost SYN is repeated after 1, 3 and 7 s. */
  connectMs: 15_000,
  /** From the request to the empty line behind the headers: no page takes longer to think. */
  headersMs: 30_000,
  /**
   * From the request to the last byte, whatever arrives in between: a dribble has no other end
   * (`--fetch-timeout`).
   */
  fetchMs: 120_000,
  /** Keep-alive connections that idle longer are closed: servers close theirs after 5 to 75 s. */
  idleConnectionMs: 20_000,
  /** Sockets open at once; the usual limit of a process is 1,024 files (`--connections`). */
  connections: 1_000,
  /** TLS sessions kept for resumption, about 3 KB each. */
  tlsSessions: 1_000,
  /** Redirects in a row; browsers take 20, and a chain of more than three is hardly ever meant. */
  redirectHops: 10,
  /**
   * What every server, proxy and archive tool takes; longer ones are traps (also for targets of redirects).
   */
  urlChars: 2_048,
  /** Different links of one page that are kept: sitemaps have as many, no page a reader would use has. */
  linksPerPage: 50_000,
  /** All links of one page together: a long `<base>` makes long URLs out of short links. */
  linkCharsPerPage: 16 * 1024 * 1024,
  /** Links looked at on one page, repetitions included. */
  linksFound: 1_000_000,
  /** Longest attribute value that is looked at. */
  attributeBytes: 64 * 1024,
  /** What is kept of a page's title, description and text: tables hold them for every page. */
  titleChars: 1_024,
  descriptionChars: 4_096,
  textBytes: 1024 * 1024,
  /** Pieces of text between tags that are looked at. */
  textRanges: 500_000,
  /** Why something failed, in the ledger and on a screen; it may quote the server. */
  detailChars: 300,
  /** Of `<meta name=robots>` and of `lang`: both are lists of short words. */
  robotsMetaChars: 1_024,
  languageChars: 64,
  /** Pages larger than this are not handed to the full HTML parser when the scanner gives up. */
  fullParseBytes: 4 * 1024 * 1024,
  /**
   * Nor those that become a larger tree: closing and re-opening makes small pages into millions of elements.
   */
  fullParseNodes: 250_000,
  /**
   * Open svg and math elements the scanner follows; deeper ones are the full parser's. HTML may nest as it
   * likes.
   */
  foreignDepth: 64,
  /** Addresses of a name that are kept and tried; a classic answer in one packet holds thirty. */
  dnsAnswers: 64,
  /**
   * A TTL is believed within these: 0 would ask for every page (and is how names are rebound), a year is a
   * mistake.
   */
  dnsTtlMinMs: 30_000,
  dnsTtlMaxMs: 3_600_000,
  /** About 200 bytes each. */
  dnsCacheEntries: 100_000,
  /** One look-up, second try included. */
  dnsMs: 10_000,
  /** Names looked up at once; name servers drop what comes faster. */
  dnsInFlight: 256,
  /** A failed look-up is remembered this long: shorter than the wait before a second try. */
  dnsNegativeMs: 4_000,
  /** RFC 9309 asks for 500 KiB at least; the rest is ignored. */
  robotsBytes: 512 * 1024,
  /** A robots procedure in all: dozens of silent addresses would take an hour, so they share this. */
  robotsProcedureMs: 600_000,
  /** URLs of one site that wait in memory for the robots.txt of their origin while another origin goes on. */
  robotsSetAside: 10_000,
  /** Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2). */
  robotsHops: 5,
  /**
   * A Crawl-delay asks for more than this only where nobody is wanted; `--max-crawl-delay` says otherwise.
   */
  crawlDelayMaxMs: 120_000,
  /** A Retry-After that asks for more counts as this: it is parked anyway, and `resume` asks again. */
  retryAfterMaxMs: 24 * 3_600_000,
  /** A site that fails so often in a row is set aside until `resume`. */
  siteFailures: 10,
  /** A request holds up the other sites of its group no longer than this, however long it takes. */
  turnHoldMs: 10_000,
  /** A site that waits longer for its turn lends its lane to another. */
  laneWaitMs: 5_000,
  /** Sites of a group whose turn is farther off are not opened yet: they rest in the ledger. */
  groupWaitMs: 30_000,
  /** Sites in hand that wait for their turn, besides those that have a lane; more rest in the ledger. */
  sitesInWait: 4_000,
  /**
   * Between two rounds of handing out, and between two words of an agent about its lanes, for every agent
   * there is: a round looks at all of them, so a thousand are served ten times a second, and a few at once.
   */
  gatherMsPerAgent: 0.1,
  /**
   * At the start sites are handed out once all agents that the crawl starts have reported, or when none has
   * come for so long: a thread starts in less than a second, on a busy machine in a few.
   */
  agentGatherMs: 5_000,
  /**
   * Sites of a part wait so long for its agent, at the start and when it is gone; then they go to whoever is
   * here.
   */
  partGraceMs: 10_000,
  /** An address that serves more sites is a CDN: its sites have nothing in common. */
  sitesPerAddress: 100,
  /** Addresses of one site whose turn it needs; those with more are CDNs. */
  addressesPerSite: 8,
  /** The longest timer the system takes, nearly: 2^31 ms is 24.8 days. */
  timerMs: 2_000_000_000,
  /** A sitemap, as sent and without its gzip: what the protocol allows (less with a smaller `--max-body`). */
  sitemapBytes: 50 * 1024 * 1024,
  /** Entries of one sitemap; the protocol allows half of that, and some sites do not count. */
  sitemapUrls: 100_000,
  /** One entry as written: three bytes for each character that may be in a URL. */
  sitemapUrlBytes: 3 * 2_048,
  /** Sitemaps read from one site: at the size the protocol allows, five hundred million URLs. */
  sitemapsPerSite: 10_000,
  /** Redirects and indexes on the way to a sitemap, together; honest ones need one of each. */
  sitemapSteps: 8,
  /** Pages of one site: a month at four pages a second. `--max-pages-per-site` sets another number. */
  pagesPerSite: 10_000_000,
  /** For predictions: a message costs its sender and its receiver so much, with its row in the ledger. */
  messageMs: 0.1,
  /** Cells that move are asked back with one beat of the coordinator, and leased anew with another. */
  movedBeatMs: 1_000,
  /** Each is sealed, committed, leased and opened; who opens it reads every URL it knows, twice. */
  movedCellMs: 200,
  movedUrlMs: 0.004,
  /** Sites are not placed anew for less: a look and a table cost something too. */
  leastGainMs: 1_000,
  /** A cell that is to move and has not been given back by then is taken by force. */
  moveGraceMs: 60_000,
  /**
   * Cells that a giant site is split into at once: each reads the journal of the whole; what is too large
   * still is split again.
   */
  splitPieces: 32,
  /**
   * The same before a crawl begins, of a site that the last one found too heavy for a part: there is no
   * journal yet.
   */
  plannedPieces: 256,
  /**
   * Hosts of one registrable domain; more have only domains that answer to any name, and a handful of large
   * ones.
   */
  hostsPerDomain: 1_000,
  /**
   * A request that waited so long between check and write is not written: the margin of its lease is used up.
   */
  outboxMs: 5_000,
  /** A pack is sealed when one of these is reached. */
  packBytes: 8 * 1024 * 1024,
  /** Journals and links for other cells, as they stand in memory: objects and texts that grow by doubling. */
  packRowBytes: 3 * 1024 * 1024,
  /**
   * Links to other cells that one transaction takes, counted in the same way. A page may have more than that,
   * and a transaction of all of them would hold up every other call to the ledger, and be in memory several
   * times.
   */
  linkBytes: 4 * 1024 * 1024,
  packPages: 2_000,
  packAgeMs: 2_000,
  /**
   * Packs of agents without the store that the coordinator holds until they are whole, together; one alone
   * may be larger.
   */
  uploadBytes: 256 * 1024 * 1024,
  /**
   * An unfinished pack that nothing was added to for so long is dropped; its agent begins anew. Twice an
   * agent's own patience.
   */
  uploadIdleMs: 20_000,
  /** Connections of such agents, each with at most two. */
  channelConnections: 4_096,
  /** Journals that it reads for them at a time: each answer is some megabytes. */
  journalReads: 4,
  /** Written at once past the page cache; less than this at a time goes through it. */
  stageBytes: 512 * 1024,
  /** A WARC is rolled before it would grow past this. */
  warcBytes: 1024 * 1024 * 1024,
  /** Seen-sets of all cells together, in memory; the rest is on disk. A million URLs fit. */
  seenBytes: 12 * 1024 * 1024,
  /** The same for the count at the end, while the agents' sets are not yet collected. */
  countBytes: 4 * 1024 * 1024,
  /** Queued URLs of all cells together, in memory; the rest is on disk. */
  queueBytes: 8 * 1024 * 1024,
  /**
   * Queued URLs of all cells together that are ordered by their links (`--order inlinks`); the rest waits its
   * turn.
   */
  rankedBytes: 16 * 1024 * 1024,
  /** Rows in a table's log before they become a Parquet row group. */
  rowGroupRows: 10_000,
  rowGroupBytes: 12 * 1024 * 1024,
  /** Links in a log: they are forty times as many and fifty times as small. */
  linkGroupRows: 100_000,
  /** Nets, or hosts, that conversion merges in memory before it writes them. */
  notedNets: 50_000,
  /**
   * Logs of links that are read for a look at how sites are placed while the crawl runs: a second's work,
   * about.
   */
  liveLogBytes: 64 * 1024 * 1024,
  /** Sites whose words are noted before they are written: half a kilobyte each. */
  notedSites: 10_000,
  /** Pages of a site whose words are looked at in one conversion: what a site is about shows in a few. */
  sketchedPages: 32,
  /**
   * Sites that a page links to and that are noted: more have only lists of links, which say nothing of the
   * page's site.
   */
  netPins: 200,
  /**
   * Sites of which something is kept for the next crawl: they are held together when it is written, 650 bytes
   * each without their words.
   */
  learnedSites: 200_000,
  /** Pins of the nets that a partition is made of: 80 MB, and as much again while it works. */
  learnedPins: 20_000_000,
  /** Rows of a log under one checksum: what its reader holds in memory at once (one longer row apart). */
  segmentBytes: 4 * 1024 * 1024,
  /**
   * Texts of a pack compressed together: at the start of a block there is nothing yet that a copy could reach
   * back to.
   */
  textBlockBytes: 1024 * 1024,
  /** Values of a Parquet column compressed together. */
  parquetPageBytes: 1024 * 1024,
  /** CDXJ lines sorted in memory at once; more are merged from disk. */
  sortBytes: 8 * 1024 * 1024,
  /** Fetching pauses when the disk has less left than this. */
  freeDiskBytes: 512 * 1024 * 1024,
  /** What DuckDB may use for a query before it turns to temporary files; less where the machine has less. */
  queryMemoryBytes: 1024 * 1024 * 1024,
  /** What the process of a query may take besides twice DuckDB's memory: DuckDB does not count every text. */
  queryBaseBytes: 512 * 1024 * 1024,
  /** Rows of a result that are shown as a table: it is held to be aligned, and nobody reads more. */
  queryTableRows: 1_000,
  /**
   * Pages that nest deeper are exported as they are: the parser looks through all open elements at every tag.
   */
  exportDepth: 4_096,
  /**
   * Vertices of a hypergraph file beyond those its bytes could name: a header must not cost gigabytes by
   * itself.
   */
  isolatedVertices: 5_000_000,
} as const
