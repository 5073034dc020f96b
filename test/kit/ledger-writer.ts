/** Writes to the ledger at `path` until it is killed, and says after each commit how many there were. */
import { SqliteDatabase } from '../../src/ledger/sqlite/sqlite-database.js'
import { SeededRandom } from '../../src/model/index.js'

const [path, name, seed] = process.argv.slice(2)
const random = new SeededRandom(Number(seed))
const below = (bound: number) => Math.floor(random.next() * bound)
let commits = 0

function writeRows(db: SqliteDatabase): void {
  // Now and then more than the cache holds: SQLite writes to the log before the commit.
  const rows = below(20) === 0 ? 2_000 : 1 + below(60)
  for (let row = 0; row < rows; row++)
    db.run(
      'INSERT OR REPLACE INTO setting VALUES (?, ?)',
      `${name}-${below(5_000)}`,
      'v'.repeat(below(3_000)),
    )
  db.run('INSERT OR REPLACE INTO setting VALUES (?, ?)', name, String(commits + 1))
  if (below(20) === 0) throw new RangeError('taken back')
}

for (let db = SqliteDatabase.open(path, { create: true }); ; ) {
  try {
    db.transaction(() => writeRows(db))
    process.stdout.write(`${++commits}\n`)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  // SQLite lets whoever asks first write: without a pause the other one may wait for ever.
  await new Promise(resolve => setTimeout(resolve, below(15)))
  if (below(60) > 0) continue
  db.close()
  db = SqliteDatabase.open(path, { create: false })
}
