/**
 * The ledger's tables, made by numbered steps: a ledger of an older version is brought up step by step, one of a
 * newer version is refused. Cell is in every key, so that the data could be sharded by site.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `
CREATE TABLE crawl (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL,
  finish_reason TEXT,
  max_pages INTEGER,
  pages INTEGER NOT NULL,
  next_rank INTEGER NOT NULL,
  first_rank INTEGER NOT NULL,
  last_heartbeat INTEGER NOT NULL,
  gap_until INTEGER NOT NULL
);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE agent (
  incarnation INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  open INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  budget INTEGER NOT NULL,
  status TEXT NOT NULL
);
CREATE TABLE cell (
  cell TEXT PRIMARY KEY,
  grp TEXT NOT NULL,
  state TEXT NOT NULL,
  agent INTEGER,
  epoch INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  last_pack INTEGER NOT NULL,
  appended INTEGER NOT NULL,
  consumed INTEGER NOT NULL,
  inbox_cursor INTEGER NOT NULL,
  parked_until INTEGER NOT NULL,
  children TEXT,
  discovered INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  fetch_ms INTEGER NOT NULL,
  first_fetch INTEGER NOT NULL,
  last_fetch INTEGER NOT NULL,
  size_estimate INTEGER NOT NULL
);
CREATE INDEX cell_by_rank ON cell (state, rank);
CREATE INDEX cell_by_agent ON cell (agent) WHERE agent IS NOT NULL;
CREATE TABLE turn (
  grp TEXT PRIMARY KEY,
  agent INTEGER,
  epoch INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  next_allowed INTEGER NOT NULL
);
CREATE TABLE inbox (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  cell TEXT NOT NULL,
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  score REAL NOT NULL,
  via TEXT NOT NULL
);
CREATE INDEX inbox_by_cell ON inbox (cell, position);
CREATE TABLE origin (
  cell TEXT NOT NULL,
  origin TEXT NOT NULL,
  checked_at INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  status INTEGER NOT NULL,
  detail TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (cell, origin)
);
CREATE TABLE pack (
  id TEXT PRIMARY KEY,
  incarnation INTEGER NOT NULL,
  committed_at INTEGER NOT NULL,
  pages INTEGER NOT NULL
);
CREATE TABLE pack_cell (
  cell TEXT NOT NULL,
  number INTEGER NOT NULL,
  pack TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  journal BLOB NOT NULL,
  PRIMARY KEY (cell, number)
);
CREATE TABLE cell_outcome (
  cell TEXT NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (cell, code)
);
CREATE TABLE meta_info (
  cell TEXT NOT NULL,
  url TEXT NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  digest TEXT NOT NULL,
  stored_at TEXT NOT NULL,
  links TEXT NOT NULL,
  PRIMARY KEY (cell, url)
);
CREATE TABLE file (
  name TEXT PRIMARY KEY,
  incarnation INTEGER NOT NULL,
  kind TEXT NOT NULL,
  bytes INTEGER NOT NULL
);
INSERT INTO crawl VALUES (1, 'open', NULL, NULL, 0, 1, 0, 0, 0);
`,
  `
ALTER TABLE turn ADD COLUMN delay_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX turn_by_agent ON turn (agent) WHERE agent IS NOT NULL;
ALTER TABLE cell ADD COLUMN parked_why TEXT NOT NULL DEFAULT '';
DROP INDEX cell_by_agent;
CREATE INDEX cell_by_agent ON cell (agent, grp) WHERE agent IS NOT NULL;
CREATE TABLE address (
  address TEXT NOT NULL,
  site TEXT NOT NULL,
  PRIMARY KEY (address, site)
) WITHOUT ROWID;
`,
  `
ALTER TABLE agent ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN fetches INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN fetch_ms INTEGER NOT NULL DEFAULT 0;
`,
  `
ALTER TABLE inbox ADD COLUMN sender INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN links INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN coalesced INTEGER NOT NULL DEFAULT 0;
CREATE TABLE lane_work (
  agent TEXT NOT NULL,
  lane INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  fetch_ms REAL NOT NULL,
  PRIMARY KEY (agent, lane)
) WITHOUT ROWID;
CREATE TABLE heard (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  agent TEXT NOT NULL,
  pages BLOB NOT NULL,
  sites BLOB NOT NULL
);
CREATE INDEX heard_by_agent ON heard (agent, number);
`,
  `
ALTER TABLE agent ADD COLUMN lanes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cell ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cell ADD COLUMN grant_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cell ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawl ADD COLUMN grants INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawl ADD COLUMN seat_agent INTEGER;
ALTER TABLE crawl ADD COLUMN seat_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawl ADD COLUMN seat_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX address_by_site ON address (site);
`,
  `
ALTER TABLE meta_info ADD COLUMN facts BLOB;
`,
  `
ALTER TABLE cell ADD COLUMN bound_agent TEXT;
ALTER TABLE cell ADD COLUMN bound_lane INTEGER NOT NULL DEFAULT 0;
`,
]
