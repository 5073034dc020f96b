/**
 * The bounds of the crawler, each with its reason. Nothing that the web sends can exceed them (P11);
 * `docs/explanation/security.md` says which of them a user can lower. Bounds that the user sets
 * (`--max-pages`, `--max-depth`) are in `config/`, rules against traps in `page/frontier/`.
 */
export const LIMITS = {
  /** Real headers stay under 16 KiB; many servers refuse longer ones. */
  headerBytes: 64 * 1024,
  /** Pages have about twenty, and each look-up of a header examines all of them. */
  headerCount: 256,
  /** 100 Continue and 103 Early Hints: a server sends one or two before the real head. */
  interimResponses: 8,
  /** Empty lines before a response, left over from the one before it: usually one. */
  blankBytes: 16,
  /** Size and extensions of one chunk; real ones have no extensions at all. */
  chunkLineBytes: 4_096,
  /**
   * A body as received, and again after each decoding, counted in chunks so that a bomb stops early. A longer
   * body is truncated and marked `WARC-Truncated: length`. Few pages are longer (`--max-body`).
   */
  bodyBytes: 32 * 1024 * 1024,
  /** All bodies in flight together; above it the newest wait and the oldest continue. */
  bodyBytesInFlight: 192 * 1024 * 1024,
  /** gzip inside br and so on: honest servers use no more, and each layer multiplies a bomb by a thousand. */
  stackedEncodings: 2,
  /** TCP and TLS together, over all addresses of the host: a lost SYN is repeated after 1, 3 and 7 s. */
  connectMs: 15_000,
  /** From the request to the end of the headers. */
  headersMs: 30_000,
  /** From the request to the last byte, so that a very slow response ends too (`--fetch-timeout`). */
  fetchMs: 120_000,
  /** Keep-alive connections that are idle for longer are closed: servers close theirs after 5 to 75 s. */
  idleConnectionMs: 20_000,
  /** Sockets open at once; the usual limit of a process is 1,024 files (`--connections`). */
  connections: 1_000,
  /** TLS sessions kept for resumption, about 3 KB each. */
  tlsSessions: 1_000,
  /** Redirects in a row; browsers follow 20, but chains of more than three are rarely intended. */
  redirectHops: 10,
  /** Accepted by every server, proxy and archive tool; longer URLs are traps (also as redirect targets). */
  urlChars: 2_048,
  /** Different links kept of one page: some sitemaps have so many, pages for readers do not. */
  linksPerPage: 50_000,
  /** All links of one page together: a long `<base>` turns short links into long URLs. */
  linkCharsPerPage: 16 * 1024 * 1024,
  /** Links examined on one page, including repetitions. */
  linksFound: 1_000_000,
  /** Longest attribute value that is read. */
  attributeBytes: 64 * 1024,
  /** Stored lengths of a page's title, description and text: the tables have them for every page. */
  titleChars: 1_024,
  descriptionChars: 4_096,
  textBytes: 1024 * 1024,
  /** Pieces of text between tags that are read. */
  textRanges: 500_000,
  /** Reason of a failure in the ledger and on a screen; it may quote the server. */
  detailChars: 300,
  /** `<meta name=robots>` and `lang`: both are lists of short words. */
  robotsMetaChars: 1_024,
  languageChars: 64,
  /** Larger pages do not go to the full HTML parser when the scanner gives up. */
  fullParseBytes: 4 * 1024 * 1024,
  /** The full HTML parser stops at so many nodes: small pages can expand to millions of elements. */
  fullParseNodes: 250_000,
  /** Open svg and math elements that the scanner follows; deeper nesting goes to the full parser. */
  foreignDepth: 64,
  /** Addresses of a name that are kept and tried; a DNS answer in one packet has at most thirty. */
  dnsAnswers: 64,
  /** Bounds of a TTL: 0 would mean a look-up per page (and allows DNS rebinding), a year is a mistake. */
  dnsTtlMinMs: 30_000,
  dnsTtlMaxMs: 3_600_000,
  /** About 200 bytes each. */
  dnsCacheEntries: 100_000,
  /** One look-up, including the second try. */
  dnsMs: 10_000,
  /** Names looked up at once; name servers drop more. */
  dnsInFlight: 256,
  /** A failed look-up is cached for less than the wait before a second try. */
  dnsNegativeMs: 4_000,
  /** RFC 9309 requires at least 500 KiB; the rest is ignored. */
  robotsBytes: 512 * 1024,
  /** A whole robots procedure: its redirects and addresses could otherwise take an hour. */
  robotsProcedureMs: 600_000,
  /** URLs of one site that wait in memory for the robots.txt of their origin. */
  robotsSetAside: 10_000,
  /** Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2). */
  robotsHops: 5,
  /** A longer Crawl-delay means that crawlers are not wanted (`--max-crawl-delay`). */
  crawlDelayMaxMs: 120_000,
  /** A longer Retry-After counts as this: the site is parked anyway until `resume`. */
  retryAfterMaxMs: 24 * 3_600_000,
  /** A site that fails so often in a row is parked until `resume`. */
  siteFailures: 10,
  /** A request blocks the other sites of its group for at most this time. */
  turnHoldMs: 10_000,
  /** A site that waits longer for its turn gives its lane to another site meanwhile. */
  laneWaitMs: 5_000,
  /** Sites whose group's turn is further away are not opened: they rest in the ledger. */
  groupWaitMs: 30_000,
  /** Open sites of an agent that wait for their turn without a lane; further ones rest in the ledger. */
  sitesInWait: 4_000,
  /**
   * Between two grant rounds, and between two lane messages of an agent, per agent: a round examines all
   * agents, so that a thousand are served ten times a second, and a few at once.
   */
  gatherMsPerAgent: 0.1,
  /**
   * At the start, grants wait until all agents of the crawl have reported. Those that have not even joined
   * the ledger are awaited for this time after the last news of the others.
   */
  agentGatherMs: 5_000,
  /**
   * Sites of a part wait this long for its agent, at the start or when it is gone; then any agent gets them.
   */
  partGraceMs: 10_000,
  /** An address that serves more sites belongs to a CDN, and its sites are not a group. */
  sitesPerAddress: 100,
  /** Addresses of one site whose turns it needs; sites with more are behind a CDN. */
  addressesPerSite: 8,
  /** Just below the longest timer of Node: 2^31 ms, or 24.8 days. */
  timerMs: 2_000_000_000,
  /** A sitemap, as sent and decompressed: the protocol's limit (lower with a smaller `--max-body`). */
  sitemapBytes: 50 * 1024 * 1024,
  /** Entries of one sitemap: twice the protocol's limit, because some sites exceed it. */
  sitemapUrls: 100_000,
  /** One entry as written: three bytes for each character of a URL. */
  sitemapUrlBytes: 3 * 2_048,
  /** Sitemaps read from one site: enough for five hundred million URLs. */
  sitemapsPerSite: 10_000,
  /** Redirects and indexes on the way to a sitemap, together; usually one of each is needed. */
  sitemapSteps: 8,
  /** Pages of one site: a month at four pages a second. `--max-pages-per-site` sets another number. */
  pagesPerSite: 10_000_000,
  /** For predictions: CPU time of a message for its sender and receiver, including the ledger. */
  messageMs: 0.1,
  /** For predictions: a round of the coordinator; moving a cell takes one to release and one to lease it. */
  movedBeatMs: 1_000,
  /** For predictions: moving a cell commits, leases and opens it, and reads each of its URLs twice. */
  movedCellMs: 200,
  movedUrlMs: 0.004,
  /** The least gain for which sites are moved: a repartition itself has a cost. */
  leastGainMs: 1_000,
  /** A cell that has to move and is not released within this time is taken from its agent. */
  moveGraceMs: 60_000,
  /**
   * Pieces of one split: each reads the journal of the whole cell; a piece that is too large is split again.
   */
  splitPieces: 32,
  /**
   * Pieces of a split before the crawl, for a site that the last crawl found too large: no journal exists
   * yet.
   */
  plannedPieces: 256,
  /** Hosts of one registrable domain: apart from a few large ones, more means that any name resolves. */
  hostsPerDomain: 1_000,
  /** A request that waited this long between check and write is not sent: its lease margin is used up. */
  outboxMs: 5_000,
  /** A pack is sealed when one of these is reached. */
  packBytes: 8 * 1024 * 1024,
  /** Journals and links for other cells, by their size in memory, where buffers grow by doubling. */
  packRowBytes: 3 * 1024 * 1024,
  /**
   * Links to other cells in one transaction, counted in the same way. A page may have more; one transaction
   * with all of them would block all other calls to the ledger and need several times their memory.
   */
  linkBytes: 4 * 1024 * 1024,
  packPages: 2_000,
  packAgeMs: 2_000,
  /** Incomplete packs of agents without the store, all together; a single pack may be larger. */
  uploadBytes: 256 * 1024 * 1024,
  /**
   * An incomplete pack without new bytes for this time is dropped and sent again; twice the agent's timeout.
   */
  uploadIdleMs: 20_000,
  /** Connections of such agents, each with at most two. */
  channelConnections: 4_096,
  /** Journals that the coordinator reads for them at a time: each answer has some megabytes. */
  journalReads: 4,
  /** Size of direct writes past the page cache; smaller writes go through it. */
  stageBytes: 512 * 1024,
  /** A new WARC is started before the current one would exceed this. */
  warcBytes: 1024 * 1024 * 1024,
  /** Seen-sets of all cells together, in memory; the rest is on disk. A million URLs fit. */
  seenBytes: 12 * 1024 * 1024,
  /** Seen-sets of the final count, which runs while the agents' sets are still in memory. */
  countBytes: 4 * 1024 * 1024,
  /** Queued URLs of all cells together, in memory; the rest is on disk. */
  queueBytes: 8 * 1024 * 1024,
  /**
   * Queued URLs of all cells together that `--order inlinks` ranks; further ones wait until there is room.
   */
  rankedBytes: 16 * 1024 * 1024,
  /** Rows in a table's log before they become a Parquet row group. */
  rowGroupRows: 10_000,
  rowGroupBytes: 12 * 1024 * 1024,
  /**
   * Rows of a row group of links: there are forty times as many links as pages, each a fiftieth of the size.
   */
  linkGroupRows: 100_000,
  /** Nets or hosts that conversion merges in memory before it writes them. */
  notedNets: 50_000,
  /** Link logs read to evaluate the placement of sites while the crawl runs: about a second of work. */
  liveLogBytes: 64 * 1024 * 1024,
  /** Sites whose sketches are in memory before they are written: half a kilobyte each. */
  notedSites: 10_000,
  /** Pages of a site that one conversion adds to its sketch: a few show the topic. */
  sketchedPages: 32,
  /**
   * Linked sites of one page that are noted: pages with more are link lists, which say nothing of their site.
   */
  netPins: 200,
  /**
   * Sites that are stored for the next crawl: all are in memory when written, 650 bytes each and a sketch.
   */
  learnedSites: 200_000,
  /** Pins of the nets of a partition: 80 MB, and as much again during the work. */
  learnedPins: 20_000_000,
  /** Rows of a log under one checksum, which a reader has in memory at once; a single row may be longer. */
  segmentBytes: 4 * 1024 * 1024,
  /**
   * Texts of a pack compressed together: larger blocks compress better, because copies refer back in a block.
   */
  textBlockBytes: 1024 * 1024,
  /** Values of a Parquet column compressed together. */
  parquetPageBytes: 1024 * 1024,
  /** CDXJ lines sorted in memory at once; more are merged from disk. */
  sortBytes: 8 * 1024 * 1024,
  /** Fetching pauses when the disk has less left than this. */
  freeDiskBytes: 512 * 1024 * 1024,
  /** Memory of DuckDB for a query before it uses temporary files; lower on a small machine. */
  queryMemoryBytes: 1024 * 1024 * 1024,
  /** Memory of a query's process besides twice DuckDB's limit: DuckDB does not count all texts. */
  queryBaseBytes: 512 * 1024 * 1024,
  /** Rows of a result shown as a table: all are in memory to align the columns. */
  queryTableRows: 1_000,
  /** Pages that nest deeper are exported unchanged: the parser examines all open elements at every tag. */
  exportDepth: 4_096,
  /** Vertices of a hypergraph file without any net: a header alone must not allocate gigabytes. */
  isolatedVertices: 5_000_000,
} as const

// bytes/word-sketch.ts
/** Bytes read of a text: its beginning shows the topic. */
export const WORD_SKETCH_READ_BYTES = 2_048
/** Shorter words occur in every text of a language. */
export const LEAST_WORD_BYTES = 4
export const MOST_WORD_BYTES = 40
